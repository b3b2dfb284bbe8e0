import type { Reply } from './api-client.ts';
import type { Listing } from './api-shapes.ts';
import { type Column, record, table } from './table.ts';
import { terminalSafeJson, visible } from './text.ts';

/** A stream that text is written to, and whether a person may be looking at it. */
export interface TextStream {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

/** Where a command writes: results to `out`, everything about them to `err`. */
export interface Output {
  readonly out: TextStream;
  readonly err: TextStream;
}

export interface PrintOptions {
  readonly json?: boolean;
}

/** Writes lines that are already safe to show. */
export const printLines = (output: Output, lines: readonly string[]): void => {
  if (lines.length > 0) output.out.write(`${lines.join('\n')}\n`);
};

/** Writes the JSON of an answer as it came. */
export const printJson = (output: Output, text: string): void => {
  output.out.write(`${terminalSafeJson(text.trimEnd())}\n`);
};

/** A list: a table for people, with how to see more, or the answer's JSON. */
export const printListing = <T>(
  output: Output,
  options: PrintOptions,
  reply: Reply<Listing<T>>,
  columns: readonly Column<T>[],
): void => {
  if (options.json) printJson(output, reply.text);
  else printTable(output, reply.value, columns);
};

const printTable = <T>(output: Output, { items, next }: Listing<T>, columns: readonly Column<T>[]): void => {
  if (items.length === 0) output.err.write('none\n');
  else printLines(output, table(items, columns));
  if (next !== null) output.err.write(`there are more: add --cursor ${visible(next)}\n`);
};

/** One thing: headings and values for people, or the answer's JSON. */
export const printRecord = <T>(
  output: Output,
  options: PrintOptions,
  reply: Reply<T>,
  columns: readonly Column<T>[],
): void => {
  if (options.json) printJson(output, reply.text);
  else printLines(output, record(reply.value, columns));
};

/** A thing done: a sentence for people; for programs the answer's JSON, if it has any. */
export const printDone = (
  output: Output,
  options: PrintOptions,
  reply: { readonly text: string },
  sentence: string,
): void => {
  if (!options.json) printLines(output, [visible(sentence)]);
  else if (reply.text !== '') printJson(output, reply.text);
};
