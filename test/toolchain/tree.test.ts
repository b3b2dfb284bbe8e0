import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const foldersOf = (path: string): string[] =>
  readdirSync(join(root, path), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name);

describe.each(['README.md', 'ARCHITECTURE.md'])('the tree in %s', (document) => {
  const tree = /```\n(src\/\n[\s\S]*?)```/.exec(readFileSync(join(root, document), 'utf8'))?.[1] ?? '';
  const named = [...tree.matchAll(/^ {2}([\w.-]+)\/? {2,}/gm)].map(([, name = '']) => name);

  it('names every folder of src, and nothing that is not there', () => {
    expect(named).toEqual(expect.arrayContaining(foldersOf('src')));
    for (const name of named) expect(existsSync(join(root, 'src', name)), name).toBe(true);
  });

  it('names every folder of test', () => {
    for (const folder of foldersOf('test')) expect(tree).toContain(`${folder}/`);
  });
});

describe('the table of imports in ARCHITECTURE.md', () => {
  it('has a line for every folder of src', () => {
    const table = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8').split('## Who may import whom')[1] ?? '';
    for (const folder of foldersOf('src')) expect(table).toContain(`\`${folder}\``);
  });
});
