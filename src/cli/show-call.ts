import { writeFile } from 'node:fs/promises';
import type { Api } from './api-client.ts';
import type { Attempt, Call, CallTrace } from './api-shapes.ts';
import { Failure } from './failure.ts';
import { drawLadder, type LadderLook } from './ladder.ts';
import { segment } from './options.ts';
import { outcomeWords } from './outcome-words.ts';
import { type Output, printJson, printLines } from './output.ts';
import { headline } from './progress.ts';
import { type Column, record, table } from './table.ts';
import { inSeconds, localTime, visible } from './text.ts';
import { HEARD_COLUMNS, wasHeard } from './what-was-heard.ts';

export interface ShowOptions {
  readonly json?: boolean;
  readonly ladder?: boolean;
  /** Name of the capture file to write. */
  readonly pcap?: string;
}

const FRAME_MS = 20;
const USUAL_WIDTH = 80;
const PATH = '/operator/v1/calls';

/** What the locale says of the terminal's character set (POSIX: LC_ALL, then LC_CTYPE, then LANG). */
const isUtf8 = ({ LC_ALL, LC_CTYPE, LANG }: Readonly<Record<string, string | undefined>>): boolean =>
  /utf-?8/i.test(LC_ALL || LC_CTYPE || LANG || '');

const played = ({ clips }: Attempt): string =>
  inSeconds(clips.reduce((frames, clip) => frames + clip.framesSent, 0) * FRAME_MS);

const sipAnswer = ({ sipStatus, sipReason }: Attempt): string =>
  sipStatus === null ? '-' : `${sipStatus} ${sipReason ?? ''}`.trim();

const CALL_COLUMNS: readonly Column<Call>[] = [
  ['call', (call) => call.id],
  ['blast', (call) => call.blastId ?? '-'],
  ['destination', (call) => call.destination],
  ['state', headline],
  ['outcome', (call) => outcomeWords(call.outcome)],
];

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

const omittedLines = (omitted: number): string[] =>
  omitted === 0 ? [] : ['', `${omitted} more messages were not kept: too many for one attempt, or the store was slow.`];

const ladderLines = ({ items, omitted }: CallTrace, look: LadderLook): string[] => {
  if (items.length === 0)
    return ['', 'no SIP messages are kept of this call: it is too old, or RINGCAST_SIP_TRACE_HOURS is 0.'];
  const numbers = [...new Set(items.map(({ attempt }) => attempt))];
  const ladders = numbers.flatMap((number) => {
    const messages = items.filter(({ attempt }) => attempt === number);
    return ['', `attempt ${number}, ${localTime(messages[0]?.at)}`, ...drawLadder(messages, look)];
  });
  return [...ladders, ...omittedLines(omitted)];
};

const heardLines = ({ attempts }: Call): string[] => {
  const heard = attempts.filter(wasHeard);
  return heard.length === 0 ? [] : ['', ...table(heard, HEARD_COLUMNS)];
};

const writeCapture = async (api: Api, path: string, file: string, output: Output): Promise<void> => {
  const octets = await api.download(`${path}/messages.pcap`);
  await writeFile(file, octets).catch((error: NodeJS.ErrnoException) => {
    throw new Failure(`cannot write ${visible(file)} (${error.code}): choose another file.`);
  });
  output.err.write(`${octets.length} octets written to ${visible(file)}\n`);
};

/** `ringcast calls show`: the call and its attempts, and if asked for its SIP messages, drawn or as a capture file. */
export const showCall = async (api: Api, id: string, options: ShowOptions, output: Output): Promise<void> => {
  const path = `${PATH}/${segment(id)}`;
  const get = async <T>(at: string) => api.request<T>({ method: 'GET', path: at });
  const call = await get<Call>(path);
  const trace = options.ladder ? await get<CallTrace>(`${path}/messages`) : null;
  if (options.pcap !== undefined) await writeCapture(api, path, options.pcap, output);
  if (options.json) return printJson(output, (trace ?? call).text);
  const look = { width: output.out.columns ?? USUAL_WIDTH, isUnicode: isUtf8(process.env) };
  printLines(output, [
    ...record(call.value, CALL_COLUMNS),
    '',
    ...table(call.value.attempts, ATTEMPT_COLUMNS),
    ...heardLines(call.value),
    ...(trace ? ladderLines(trace.value, look) : []),
  ]);
};
