import type { Command } from 'commander';
import type { Api, Reply } from './api-client.ts';
import type { Listing, Webhook } from './api-shapes.ts';
import { applicationApi, type ServerOptions } from './connection.ts';
import { onlyGiven, repeated, segment, withAppKey } from './options.ts';
import { type Output, type PrintOptions, printDone, printListing, printRecord } from './output.ts';
import type { Column } from './table.ts';
import { inOneCell, localTime } from './text.ts';

type Options = ServerOptions & PrintOptions;

const PATH = '/api/v1/webhooks';
const pathOf = (id: string): string => `${PATH}/${segment(id)}`;

const stateOf = ({ disabledReason, failingSince }: Webhook): string => {
  if (disabledReason !== null) return `disabled (${disabledReason})`;
  return failingSince === null ? 'well' : `failing since ${localTime(failingSince)}`;
};

const COLUMNS: readonly Column<Webhook>[] = [
  ['id', (webhook) => webhook.id],
  ['url', (webhook) => webhook.url],
  ['types', (webhook) => (webhook.types === null ? 'all' : inOneCell(webhook.types))],
  ['state', stateOf],
];
const WITH_SECRET: readonly Column<Webhook>[] = [...COLUMNS, ['secret', (webhook) => webhook.secret ?? '-']];

interface Replayed {
  readonly queued: number;
  readonly next: string | null;
}

/** Replays page by page; how many events were queued. */
const replay = async (api: Api, id: string, since: string): Promise<number> => {
  let queued = 0;
  let after: string | null = null;
  do {
    const json: object = { since, ...(after === null ? {} : { after }) };
    const reply: Reply<Replayed> = await api.request({ method: 'POST', path: `${pathOf(id)}/replay`, json });
    queued += reply.value.queued;
    after = reply.value.next;
  } while (after !== null);
  return queued;
};

/** `ringcast webhook`: addresses to which the events of the key's application are posted. */
export const addWebhookCommands = (program: Command, output: Output): void => {
  const webhook = program.command('webhook').description("addresses to which an application's events are posted");
  withAppKey(webhook.command('add <url>').description('add one; its secret is shown this once'))
    .option('--type <type>', 'type of event to post (repeat for more; default: all)', repeated)
    .action(async (url: string, options: Options & { readonly type?: readonly string[] }) => {
      const request = { method: 'POST', path: PATH, json: { url, ...onlyGiven({ types: options.type }) } };
      printRecord(output, options, await applicationApi(options).request<Webhook>(request), WITH_SECRET);
    });
  withAppKey(webhook.command('list').description('list them, newest first')).action(async (options: Options) => {
    const reply = await applicationApi(options).request<Listing<Webhook>>({ method: 'GET', path: PATH });
    printListing(output, options, reply, COLUMNS);
  });
  withAppKey(webhook.command('show <id>').description('show one')).action(async (id: string, options: Options) => {
    const reply = await applicationApi(options).request<Webhook>({ method: 'GET', path: pathOf(id) });
    printRecord(output, options, reply, COLUMNS);
  });
  withAppKey(webhook.command('remove <id>').description('remove one, and what it has not got yet')).action(
    async (id: string, options: Options) => {
      const reply = await applicationApi(options).request({ method: 'DELETE', path: pathOf(id) });
      printDone(output, options, reply, `webhook ${id} removed`);
    },
  );
  withAppKey(
    webhook.command('rotate <id>').description('make a new secret; the old one signs too for 24 hours'),
  ).action(async (id: string, options: Options) => {
    const reply = await applicationApi(options).request<Webhook>({ method: 'POST', path: `${pathOf(id)}/rotate` });
    printRecord(output, options, reply, WITH_SECRET);
  });
  withAppKey(webhook.command('replay <id>').description('post events once more'))
    .requiredOption('--since <time>', 'those that happened at or after it, such as 2026-01-31T09:00:00Z')
    .action(async (id: string, options: Options & { readonly since: string }) => {
      const queued = await replay(applicationApi(options), id, options.since);
      const text = JSON.stringify({ queued });
      printDone(output, options, { text }, `${queued} events are posted again to webhook ${id}`);
    });
};
