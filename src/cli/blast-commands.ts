import type { Command } from 'commander';
import type { Blast, Call, Listing } from './api-shapes.ts';
import { appKey, applicationApi, type ServerOptions, seedApi } from './connection.ts';
import { Failure } from './failure.ts';
import { createLiveView } from './live-view.ts';
import { type Paging, pagingQuery, segment, withAppKey, withPaging } from './options.ts';
import { type Output, type PrintOptions, printDone, printJson, printLines, printListing } from './output.ts';
import { postBlast } from './post-blast.ts';
import { headline } from './progress.ts';
import { type Column, record, table } from './table.ts';
import { localTime, visible } from './text.ts';
import { watchBlast } from './watch-blast.ts';

type Options = ServerOptions & PrintOptions;

interface StartOptions extends Options {
  readonly network?: string;
  readonly greeting?: string;
  readonly idempotencyKey?: string;
  readonly watch?: boolean;
}

const WATCH_EVERY_MS = 250;
const PATH = '/api/v1/blasts';

const outcomes = ({ calls }: Blast): string => {
  const counts = Map.groupBy(calls, (call) => call.outcome ?? call.state);
  return [...counts].map(([name, some]) => `${some.length} ${name}`).join(', ');
};

const COLUMNS: readonly Column<Blast>[] = [
  ['id', (blast) => blast.id],
  ['accepted', (blast) => localTime(blast.acceptedAt)],
  ['state', (blast) => blast.state],
  ['network', (blast) => blast.networkId],
  ['media', (blast) => blast.mediaIds.join('-')],
  ['calls', outcomes],
];

const CALL_COLUMNS: readonly Column<Call>[] = [
  ['call', (call) => call.id],
  ['destination', (call) => call.destination],
  ['attempts', (call) => String(call.attempts.length)],
  ['dialled', (call) => localTime(call.attempts.at(-1)?.dialledAt)],
  ['ended', (call) => localTime(call.attempts.at(-1)?.endedAt)],
  ['state', headline],
];

const printBlast = (output: Output, blast: Blast): void =>
  printLines(output, [...record(blast, COLUMNS), '', ...table(blast.calls, CALL_COLUMNS)]);

const watch = async (output: Output, options: Options, blastId: string): Promise<void> => {
  const view = createLiveView(output.out);
  const last = await watchBlast(applicationApi(options), blastId, {
    everyMs: WATCH_EVERY_MS,
    onProgress: (blast) => (options.json ? undefined : view.show(blast)),
  });
  if (options.json) printJson(output, last.text);
  const unheard = last.value.calls.filter((call) => call.outcome !== 'completed').length;
  if (unheard > 0) throw new Failure(`${unheard} of ${last.value.calls.length} calls did not play all clips.`);
};

const start = async (output: Output, mediaIds: string, options: StartOptions): Promise<void> => {
  if (options.network === undefined) throw new Failure('name the network to call: --network ID.', 2);
  const { blastId, reply } = await postBlast(seedApi(options), {
    mediaIds: mediaIds.split('-'),
    networkId: options.network,
    appKey: appKey(options),
    ...(options.greeting === undefined ? {} : { greetingId: options.greeting }),
    ...(options.idempotencyKey === undefined ? {} : { idempotencyKey: options.idempotencyKey }),
  });
  if (!options.watch) return printDone(output, options, reply, `blast ${blastId} accepted`);
  if (!options.json) printLines(output, [visible(`blast ${blastId} accepted`)]);
  await watch(output, options, blastId);
};

const show = async (output: Output, id: string, options: Options): Promise<void> => {
  const api = applicationApi(options);
  const reply = await api.request<Blast>({ method: 'GET', path: `${PATH}/${segment(id)}` });
  if (options.json) printJson(output, reply.text);
  else printBlast(output, reply.value);
};

const cancel = async (output: Output, id: string, options: Options): Promise<void> => {
  const api = applicationApi(options);
  const reply = await api.request<Blast>({ method: 'POST', path: `${PATH}/${segment(id)}/cancel` });
  if (options.json) printJson(output, reply.text);
  else printBlast(output, reply.value);
};

/** `ringcast blast`: asks for a blast through the seed interface, and follows blasts. */
export const addBlastCommands = (program: Command, output: Output): void => {
  const blast = withAppKey(program.command('blast'))
    .description('call a network and play clips to it')
    .argument('<media-ids>', 'media ids joined by hyphens, played in this order')
    .option('--network <id>', 'network to call')
    .option('--greeting <media-id>', 'greeting to play first (default: the default greeting)')
    .option('--idempotency-key <key>', 'the same key within 24 hours asks for no second call')
    .option('--watch', 'show the calls until they have ended; exit 1 unless all clips were played')
    .action((mediaIds: string, options: StartOptions) => start(output, mediaIds, options));
  // With globals: an option may also stand before the subcommand, where it is the blast's.
  withAppKey(blast.command('show <id>').description('show one blast and its calls')).action(
    (id: string, _options: Options, command: Command) => show(output, id, command.optsWithGlobals()),
  );
  withPaging(withAppKey(blast.command('list').description('list blasts, newest first'))).action(
    async (_options: Options, command: Command) => {
      const options = command.optsWithGlobals<Options & Paging>();
      const api = applicationApi(options);
      const reply = await api.request<Listing<Blast>>({ method: 'GET', path: PATH + pagingQuery(options) });
      printListing(output, options, reply, COLUMNS);
    },
  );
  withAppKey(blast.command('cancel <id>').description('end its calls and dial no more')).action(
    (id: string, _options: Options, command: Command) => cancel(output, id, command.optsWithGlobals()),
  );
};
