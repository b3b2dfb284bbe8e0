import type { Command } from 'commander';
import type { Application, NewAppKey, RetryRule } from './api-shapes.ts';
import { operatorApi } from './connection.ts';
import { onlyGiven, orNone, repeated, segment, wholeNumber, withOperator } from './options.ts';
import { type Output, printDone, printRecord } from './output.ts';
import {
  addResourceCommands,
  createResource,
  type OperatorOptions,
  pathOf,
  type Resource,
  updateResource,
} from './resource-commands.ts';
import type { Column } from './table.ts';
import { inOneCell } from './text.ts';

interface Options extends OperatorOptions {
  readonly id?: string;
  readonly name?: string;
  readonly importKey?: string;
  readonly defaultGreeting?: string;
  readonly retryAttempts?: number;
  readonly retryDelay?: number;
  readonly retryOn?: readonly string[];
  readonly priority?: number;
  readonly maxConcurrent?: number | 'none';
  readonly callsPerSecond?: number | 'none';
  readonly dialBy?: number;
  readonly leadIn?: number;
  readonly gap?: number;
  readonly tail?: number;
}

const DEFAULT_RETRY: RetryRule = { maxAttempts: 1, delaySeconds: 60, on: ['busy', 'no_answer', 'unreachable'] };

const retryText = ({ retry }: Application): string =>
  retry.maxAttempts === 1
    ? 'one attempt'
    : `${retry.maxAttempts} attempts, ${retry.delaySeconds} s apart, after ${inOneCell(retry.on)}`;

/** Servers from before there were priorities tell none of this. */
const diallingText = ({ priority, maxConcurrentCalls, callsPerSecond, dialBySeconds }: Application): string =>
  [
    ...(priority === undefined ? [] : [`priority ${priority}`]),
    ...(maxConcurrentCalls == null ? [] : [`${maxConcurrentCalls} calls at once`]),
    ...(callsPerSecond == null ? [] : [`${callsPerSecond} calls/s`]),
    ...(dialBySeconds === undefined ? [] : [`within ${dialBySeconds} s`]),
  ].join(', ');

const silenceText = ({ leadInMs, gapMs, tailMs }: Application): string =>
  leadInMs === undefined ? '-' : `${leadInMs}/${gapMs}/${tailMs} ms`;

const APPLICATIONS: Resource<Application> = {
  path: '/operator/v1/applications',
  noun: 'application',
  plural: 'applications',
  columns: [
    ['id', (application) => application.id],
    ['name', (application) => application.name],
    ['default greeting', (application) => application.defaultGreetingId ?? '-'],
    ['retry', retryText],
    ['dialling', diallingText],
    ['lead-in/gap/tail', silenceText],
  ],
};

const CREATED: Resource<Application> = {
  ...APPLICATIONS,
  columns: [
    ...APPLICATIONS.columns,
    ['key id', ({ appKey }) => appKey?.id ?? '-'],
    ['app key (shown this once)', ({ appKey }) => appKey?.secret ?? '-'],
  ],
};

const KEY_COLUMNS: readonly Column<NewAppKey>[] = [
  ['key id', (key) => key.id],
  ['app key (shown this once)', (key) => key.secret],
];

/** What is not given stays; a rule that retries after nothing was none, so a new one starts from the usual outcomes. */
const retryOf = (options: Options, old: RetryRule = DEFAULT_RETRY): RetryRule | undefined => {
  const before = old.on.length === 0 ? DEFAULT_RETRY : old;
  const changed = onlyGiven({
    maxAttempts: options.retryAttempts,
    delaySeconds: options.retryDelay,
    on: options.retryOn,
  });
  return Object.keys(changed).length === 0 ? undefined : { ...before, ...changed };
};

const changes = (options: Options, before?: Application): Record<string, unknown> =>
  onlyGiven({
    name: options.name,
    defaultGreetingId: orNone(options.defaultGreeting),
    retry: retryOf(options, before?.retry),
    priority: options.priority,
    maxConcurrentCalls: orNone(options.maxConcurrent),
    callsPerSecond: orNone(options.callsPerSecond),
    dialBySeconds: options.dialBy,
    leadInMs: options.leadIn,
    gapMs: options.gap,
    tailMs: options.tail,
  });

const callsOrNone = (text: string): number | 'none' => (text === 'none' ? text : wholeNumber(1, 100_000)(text));

/** What is no multiple of a frame the server refuses. */
const milliseconds = wholeNumber(0, 5000);

const withFields = (command: Command): Command =>
  withOperator(command)
    .option('--default-greeting <media-id>', 'greeting of its blasts, or none')
    .option('--retry-attempts <n>', 'attempts a call may have', wholeNumber(1, 100))
    .option('--retry-delay <seconds>', 'pause between attempts', wholeNumber(0, 86_400))
    .option('--retry-on <outcome>', 'busy, no_answer or unreachable (repeat for more; default: all three)', repeated)
    .option('--priority <n>', 'its share of the calls of a trunk, beside other applications', wholeNumber(1, 10))
    .option('--max-concurrent <n>', 'calls at once, or none for no limit', callsOrNone)
    .option('--calls-per-second <n>', 'new calls a second, or none for no limit', callsOrNone)
    .option('--dial-by <seconds>', 'calls not dialled so long after their acceptance expire', wholeNumber(1, 86_400))
    .option('--lead-in <ms>', 'silence before the first clip', milliseconds)
    .option('--gap <ms>', 'silence between two clips', milliseconds)
    .option('--tail <ms>', 'silence after the last clip', milliseconds);

const addKeyCommands = (app: Command, output: Output): void => {
  const key = app.command('key').description('app keys of an application');
  withOperator(key.command('create <application-id>').description('make another app key')).action(
    async (id: string, options: Options) => {
      const path = `${pathOf(APPLICATIONS, id)}/app-keys`;
      const reply = await (await operatorApi(options)).request<NewAppKey>({ method: 'POST', path, json: {} });
      printRecord(output, options, reply, KEY_COLUMNS);
    },
  );
  withOperator(key.command('revoke <application-id> <key-id>').description('take an app key away')).action(
    async (id: string, keyId: string, options: Options) => {
      const path = `${pathOf(APPLICATIONS, id)}/app-keys/${segment(keyId)}`;
      const reply = await (await operatorApi(options)).request({ method: 'DELETE', path });
      printDone(output, options, reply, `key ${keyId} of application ${id} revoked`);
    },
  );
};

/** `ringcast app`: the calling programs and their keys. */
export const addAppCommands = (program: Command, output: Output): void => {
  const app = program.command('app').description('applications: the programs that may ask for blasts');
  withFields(app.command('create').description('make an application and its first app key'))
    .requiredOption('--name <name>', 'what people call it')
    .option('--id <id>', 'its id (default: allocated)')
    .option('--import-key <key>', 'an app key in use elsewhere, at least 16 characters (default: a new one)')
    .action((options: Options) =>
      createResource(output, options, CREATED, {
        ...onlyGiven({ id: options.id, appKey: options.importKey }),
        ...changes(options),
      }),
    );
  withFields(app.command('update <id>').description('change what is given, keep the rest'))
    .option('--name <name>', 'what people call it')
    .action((id: string, options: Options) =>
      updateResource(output, options, APPLICATIONS, id, (before) => changes(options, before)),
    );
  addResourceCommands(app, output, APPLICATIONS);
  addKeyCommands(app, output);
};
