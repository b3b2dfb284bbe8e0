import type { Command } from 'commander';
import type { Api } from './api-client.ts';
import type { Attempt, Call, Listing } from './api-shapes.ts';
import { operatorApi } from './connection.ts';
import { Failure } from './failure.ts';
import { type Paging, pagingQuery, withOperator, withPaging } from './options.ts';
import { type Output, printJson, printLines, printListing } from './output.ts';
import { headline } from './progress.ts';
import type { OperatorOptions } from './resource-commands.ts';
import { type Column, record, table } from './table.ts';
import { inSeconds, localTime, visible } from './text.ts';

const PATH = '/operator/v1/calls';
const FRAME_MS = 20;
const PAGE_SIZE = 100;
const MOST_PAGES = 100;

const COLUMNS: readonly Column<Call>[] = [
  ['call', (call) => call.id],
  ['blast', (call) => call.blastId ?? '-'],
  ['destination', (call) => call.destination],
  ['dialled', (call) => localTime(call.attempts.at(-1)?.dialledAt)],
  ['attempts', (call) => String(call.attempts.length)],
  ['state', headline],
];

const played = ({ clips }: Attempt): string =>
  inSeconds(clips.reduce((frames, clip) => frames + clip.framesSent, 0) * FRAME_MS);

const sipAnswer = ({ sipStatus, sipReason }: Attempt): string =>
  sipStatus === null ? '-' : `${sipStatus} ${sipReason ?? ''}`.trim();

const ATTEMPT_COLUMNS: readonly Column<Attempt>[] = [
  ['attempt', (attempt) => String(attempt.number)],
  ['trunk', (attempt) => attempt.trunkId ?? 'direct'],
  ['dialled', (attempt) => localTime(attempt.dialledAt)],
  ['ringing', (attempt) => localTime(attempt.ringingAt)],
  ['answered', (attempt) => localTime(attempt.answeredAt)],
  ['ended', (attempt) => localTime(attempt.endedAt)],
  ['sip', sipAnswer],
  ['codec', (attempt) => attempt.codec ?? '-'],
  ['played', played],
  ['sip call-id', (attempt) => attempt.sipCallId],
];

/** The API lists calls and has no address for one: looks through the newest, page by page, up to a bound. */
const findCall = async (api: Api, id: string, cursor?: string, pagesLeft = MOST_PAGES): Promise<Call> => {
  if (pagesLeft === 0)
    throw new Failure(`call ${visible(id)} is too old to be found here: \`ringcast blast show\` has it.`);
  const path = PATH + pagingQuery({ limit: PAGE_SIZE, ...(cursor === undefined ? {} : { cursor }) });
  const { items, next } = (await api.request<Listing<Call>>({ method: 'GET', path })).value;
  const found = items.find((call) => call.id === id);
  if (found) return found;
  if (next === null) throw new Failure(`there is no call ${visible(id)}: \`ringcast calls\` lists them.`);
  return findCall(api, id, next, pagesLeft - 1);
};

/** `ringcast calls`: every call of the server, for its operator. */
export const addCallCommands = (program: Command, output: Output): void => {
  const calls = program.command('calls').description('calls of all applications');
  withPaging(withOperator(calls.command('list', { isDefault: true }).description('list calls, newest first'))).action(
    async (options: OperatorOptions & Paging) => {
      const api = await operatorApi(options);
      const reply = await api.request<Listing<Call>>({ method: 'GET', path: PATH + pagingQuery(options) });
      printListing(output, options, reply, COLUMNS);
    },
  );
  withOperator(calls.command('show <id>').description('show one call and its attempts')).action(
    async (id: string, options: OperatorOptions) => {
      const call = await findCall(await operatorApi(options), id);
      if (options.json) return printJson(output, JSON.stringify(call));
      printLines(output, [...record(call, COLUMNS), '', ...table(call.attempts, ATTEMPT_COLUMNS)]);
    },
  );
};
