/**
 * What a module imports: `import`, `export … from`, `import()`, `require()` and `import()` in types, with the line of
 * each. An `import()` or `require()` whose argument is no literal answers `null`: nobody can check it.
 *
 * Works on text that Biome has formatted, in which every static import begins its line; comments are blanked first.
 */
export interface ImportedSpecifier {
  readonly specifier: string | null;
  readonly line: number;
}

const STATIC_IMPORT = /^(?:import|export)\s(?:[^;'"`=()]*?\sfrom\s+)?(['"])([^'"\n]+)\1/gm;
const DYNAMIC_IMPORT = /(?<![.\w])(?:import|require|require\.resolve)\(\s*(?:(['"])([^'"\n]+)\1)?/g;

export function importedSpecifiers(source: string): ImportedSpecifier[] {
  const code = blankComments(source);
  return [...code.matchAll(STATIC_IMPORT), ...code.matchAll(DYNAMIC_IMPORT)]
    .map((match) => ({ specifier: match[2] ?? null, line: code.slice(0, match.index).split('\n').length }))
    .sort((a, b) => a.line - b.line);
}

/** Strings are matched first, so that `//` inside one does not count; line breaks stay. */
function blankComments(source: string): string {
  const stringOrComment = /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|\/\*[\s\S]*?\*\/|\/\/[^\n]*/g;
  return source.replace(stringOrComment, (text) => (text.startsWith('/') ? text.replace(/[^\n]/g, ' ') : text));
}
