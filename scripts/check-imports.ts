// `npm run lint`, second half: reports every import inside src that the table of import-rules.ts forbids.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { violation } from './import-rules.ts';
import { importedSpecifiers } from './imported-specifiers.ts';

const source = join(import.meta.dirname, '..', 'src');

function sourceFiles(): string[] {
  return readdirSync(source, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => relative(source, join(entry.parentPath, entry.name)).split(sep).join('/'));
}

function problemsIn(path: string): string[] {
  return importedSpecifiers(readFileSync(join(source, path), 'utf8')).flatMap(({ specifier, line }) => {
    const reason = violation(path, specifier);
    return reason === null ? [] : [`src/${path}:${line}: ${reason}`];
  });
}

const files = sourceFiles();
const problems = files.flatMap(problemsIn);
for (const problem of problems) console.error(problem);
console.log(`Checked the imports of ${files.length} files: ${problems.length} forbidden.`);
process.exitCode = problems.length === 0 ? 0 : 1;
