import type { FastifyInstance } from 'fastify';

/** The methods that routes take at a path, for `Allow`; empty if no route is there. */
export type AllowedMethods = (path: string) => readonly string[];

/** Notes every route that is added from now on. */
export const trackMethods = (app: FastifyInstance): AllowedMethods => {
  const patterns = new Map<string, { readonly matches: RegExp; readonly methods: Set<string> }>();
  app.addHook('onRoute', ({ url, method }) => {
    const known = patterns.get(url) ?? { matches: patternOf(url), methods: new Set() };
    patterns.set(url, known);
    for (const each of [method].flat()) known.methods.add(each);
  });
  return (path) => {
    const methods = [...patterns.values()].filter(({ matches }) => matches.test(path)).map((known) => known.methods);
    return [...new Set(methods.flatMap((set) => [...set]))];
  };
};

const patternOf = (url: string): RegExp =>
  new RegExp(`^${url.replaceAll('.', '\\.').replaceAll(PARAMETER, (_, own) => own ?? '[^/]*')}$`);

/** `:name`, or `:name(EXPRESSION)` for what is not just any text. */
const PARAMETER = /:[A-Za-z]+(\([^/]+\))?/g;
