import { setTimeout as pause } from 'node:timers/promises';
import type { Command } from 'commander';
import type { Api } from './api-client.ts';
import type { PublishedEvent } from './api-shapes.ts';
import { applicationApi, type ServerOptions } from './connection.ts';
import { eventBlocks } from './event-blocks.ts';
import { Failure, Refused } from './failure.ts';
import { withAppKey } from './options.ts';
import { type Output, type PrintOptions, printJson, printLines } from './output.ts';
import { localTime, visible } from './text.ts';

interface Options extends ServerOptions, PrintOptions {
  readonly follow?: boolean;
  readonly after?: string;
}

/** Where a stream is, and which of its events are wanted. */
interface Stream {
  readonly api: Api;
  readonly path: string;
  readonly isWanted: (event: PublishedEvent) => boolean;
}

const RECONNECT_MS = 2000;
/** A server that restarts is back by then. */
const MOST_TRIES = 30;

const lineOf = ({ id, type, at, ...rest }: PublishedEvent): string => {
  const facts = Object.entries(rest).map(([name, value]) => `${name}=${value}`);
  return visible([localTime(at), (id ?? '').padStart(6), type.padEnd(16), ...facts].join('  ').trimEnd());
};

/** Prints a stream until it ends; true if that was all that is kept and no more is wanted. */
const printStream = async (
  output: Output,
  options: Options,
  isWanted: Stream['isWanted'],
  body: AsyncIterable<Uint8Array>,
  onId: (id: string) => void,
): Promise<boolean> => {
  for await (const { id, data, isComment } of eventBlocks(body)) {
    if (id !== null) onId(id);
    if (data === null && isComment && !options.follow) return true;
    if (data === null) continue;
    const event = JSON.parse(data) as PublishedEvent;
    if (!isWanted(event)) continue;
    if (options.json) printJson(output, data);
    else printLines(output, [lineOf(event)]);
  }
  return false;
};

/** Reads on where a line broke, until the server is not to be had for a minute. */
export const follow = async (output: Output, options: Options, { api, path, isWanted }: Stream): Promise<void> => {
  let after = options.after ?? (options.follow ? null : '0');
  let triesLeft = 0;
  for (;;) {
    try {
      const stream = await api.stream(path, after === null ? {} : { 'last-event-id': after });
      triesLeft = MOST_TRIES;
      const isAll = await printStream(output, options, isWanted, stream, (id) => {
        after = id;
      });
      if (isAll) return;
    } catch (error) {
      if (triesLeft === 0 || error instanceof Refused) throw error;
      triesLeft -= 1;
    }
    await pause(RECONNECT_MS);
  }
};

/** `ringcast events`: what happened to the key's application. */
export const addEventCommands = (program: Command, output: Output): void => {
  withAppKey(program.command('events'))
    .description("an application's events: those that are kept, or as they happen")
    .option('--follow', 'go on with events as they happen, until interrupted')
    .option('--after <id>', 'begin after this event (default: with --follow at the present, else at the oldest)')
    .action(async (options: Options) => {
      if (options.after !== undefined && !/^[0-9]{1,15}$/.test(options.after))
        throw new Failure('--after takes the id of an event, or 0 for all that are kept.', 2);
      await follow(output, options, { api: applicationApi(options), path: '/api/v1/events', isWanted: () => true });
    });
};
