import type { Blast } from './api-shapes.ts';
import type { TextStream } from './output.ts';
import { drawBlast, stepsOf } from './progress.ts';

/** Shows a blast as it goes. */
export interface LiveView {
  show(blast: Blast): void;
}

/** Of a terminal that does not tell: some answer 0. */
const DEFAULT_COLUMNS = 80;

const cut = (line: string, columns: number): string => [...line].slice(0, columns - 1).join('');

/** Drawn in place: up over the lines of the last time, then each line cleared and written. */
const inPlace = (stream: TextStream): LiveView => {
  let height = 0;
  return {
    show(blast) {
      const lines = drawBlast(blast).map((line) => cut(line, stream.columns || DEFAULT_COLUMNS));
      const up = height > 0 ? `\x1b[${height}A` : '';
      // Lines that the block no longer has are cleared too.
      stream.write(`${up}\r\x1b[J${lines.map((line) => `${line}\n`).join('')}`);
      height = lines.length;
    },
  };
};

/** One plain line for each step, once. Bounded by the calls of the blast and their steps. */
const asLines = (stream: TextStream): LiveView => {
  const shown = new Set<string>();
  return {
    show(blast) {
      for (const step of stepsOf(blast).filter((candidate) => !shown.has(candidate))) {
        shown.add(step);
        stream.write(`${step}\n`);
      }
    },
  };
};

/** On a terminal the block is updated in place; anywhere else each step is a line. */
export const createLiveView = (stream: TextStream): LiveView => (stream.isTTY ? inPlace(stream) : asLines(stream));
