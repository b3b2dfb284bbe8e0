import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const table = readFileSync(join(root, 'docs/promises.md'), 'utf8');
const rows = [...table.matchAll(/^\| (A\d*|\d{3}|all|tus) \| (.+?) \| (.*) \|$/gm)].map(
  ([, line = '', , tests = '']) => ({
    line,
    tests: [...tests.matchAll(/“(.+?)” \(\[.+?\]\(\.\.\/(.+?)\)\)/g)].map(([, title = '', file = '']) => ({
      title,
      file,
    })),
  }),
);

describe('the table of promises', () => {
  it('has a row for each numbered line of part A and each answer of part B', () => {
    const lines = rows.map(({ line }) => line);
    const partA = Array.from({ length: 11 }, (_, index) => `A${index + 1}`);
    const partB = ['201', '400', '401', '404', '409', '410', '413', '415', '429', '503', 'tus'];
    expect(lines).toEqual(expect.arrayContaining([...partA, ...partB]));
  });

  it.each(rows)('$line names tests that exist', ({ tests }) => {
    expect(tests.length).toBeGreaterThan(0);
    for (const { title, file } of tests) expect(readFileSync(join(root, file), 'utf8')).toContain(title);
  });

  it('names every test that proves a line', () => {
    const files = ['src/http', 'src/app', 'test/e2e'].flatMap((folder) =>
      readdirSync(join(root, folder))
        .filter((name) => name.endsWith('.test.ts'))
        .map((name) => join(folder, name)),
    );
    const titles = files.flatMap((file) =>
      [
        ...readFileSync(join(root, file), 'utf8').matchAll(
          /\bit(?:\.each(?:<[^>]*>)?\([\s\S]*?\))?\(\s*'((?:A\d+|B \d{3}|B tus) [^']*)'/g,
        ),
      ].map(([, title]) => title),
    );
    expect(titles.length).toBeGreaterThan(50);
    for (const title of titles) expect(table).toContain(title);
  });
});
