import type { SipMessage } from './api-shapes.ts';
import { summaryOf } from './sip-summary.ts';
import { visible } from './text.ts';

export interface LadderLook {
  /** Characters of a line. */
  readonly width: number;
  /** Whether the terminal shows more than ASCII. */
  readonly isUnicode: boolean;
}

interface Strokes {
  readonly life: string;
  readonly line: string;
  readonly more: string;
}

const UNICODE: Strokes = { life: '│', line: '─', more: '…' };
const ASCII: Strokes = { life: '|', line: '-', more: '...' };

const TIME_WIDTH = 9;
/** Room for half a name on both sides. */
const MARGIN = 12;
const LEAST_SPAN = 26;
const MOST_SPAN = 70;

/** A row of the drawing: lifelines, and what is put over them. */
class Row {
  readonly #cells: string[];

  constructor(columns: readonly number[], life: string) {
    this.#cells = new Array<string>((columns.at(-1) ?? 0) + MARGIN).fill(' ');
    for (const at of columns) this.#cells[at] = life;
  }

  put(at: number, text: string): void {
    [...text].forEach((character, index) => {
      this.#cells[at + index] = character;
    });
  }

  toString(): string {
    return this.#cells.join('').trimEnd();
  }
}

const cut = (text: string, most: number, more: string): string => {
  const characters = [...text];
  return characters.length <= most ? text : characters.slice(0, Math.max(0, most - more.length)).join('') + more;
};

/** Both ends in order of appearance, ours first. */
const endsOf = (messages: readonly SipMessage[]): string[] => [
  ...new Set([...messages.map(({ local }) => local), ...messages.map(remoteName)]),
];

const remoteName = ({ remote, transport }: SipMessage): string => `${remote} ${transport}`;

const columnsFor = (count: number, width: number): number[] => {
  const room = Math.floor((width - TIME_WIDTH - 2 * MARGIN) / Math.max(1, count - 1));
  const span = Math.min(MOST_SPAN, Math.max(LEAST_SPAN, room));
  return Array.from({ length: count }, (_, at) => TIME_WIDTH + MARGIN + at * span);
};

/** `+12 ms`, `+3.4 s` since the message before. */
const elapsed = (message: SipMessage, before: SipMessage | undefined): string => {
  const ms = before ? Date.parse(message.at) - Date.parse(before.at) : 0;
  return ms < 1000 ? `+${ms} ms` : `+${(ms / 1000).toFixed(1)} s`;
};

const centred = (row: Row, text: string, from: number, to: number, more: string): void => {
  const shown = cut(visible(text), to - from - 5, more);
  row.put(from + Math.floor((to - from - [...shown].length) / 2), shown);
};

const headOf = (ends: readonly string[], columns: readonly number[], more: string): string => {
  const row = new Row(columns, ' ');
  const span = (columns[1] ?? MOST_SPAN) - (columns[0] ?? 0);
  ends.forEach((end, at) => {
    const name = cut(visible(end), Math.min(span, 2 * MARGIN) - 1, more);
    row.put((columns[at] ?? 0) - Math.floor([...name].length / 2), name);
  });
  return row.toString();
};

/** The messages as a ladder diagram: a column for each end, an arrow for each message, what its SDP says below it. */
export const drawLadder = (messages: readonly SipMessage[], look: LadderLook): string[] => {
  const strokes = look.isUnicode ? UNICODE : ASCII;
  const ends = endsOf(messages);
  const columns = columnsFor(ends.length, look.width);
  const columnOf = (end: string): number => columns[ends.indexOf(end)] ?? 0;

  const arrow = (message: SipMessage, time: string): string[] => {
    const [ours, theirs] = [columnOf(message.local), columnOf(remoteName(message))];
    const { label, media } = summaryOf(message.text);
    const row = new Row(columns, strokes.life);
    row.put(0, time.padStart(TIME_WIDTH));
    row.put(ours + 1, strokes.line.repeat(theirs - ours - 1));
    row.put(message.direction === 'sent' ? theirs - 1 : ours + 1, message.direction === 'sent' ? '>' : '<');
    centred(row, ` ${label} `, ours, theirs, strokes.more);
    if (media === null) return [row.toString()];
    const below = new Row(columns, strokes.life);
    centred(below, media, ours, theirs, strokes.more);
    return [row.toString(), below.toString()];
  };
  return [
    headOf(ends, columns, strokes.more),
    ...messages.flatMap((message, at) => arrow(message, elapsed(message, messages[at - 1]))),
  ];
};
