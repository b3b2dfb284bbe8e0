/**
 * Who may import whom inside src: the table of ARCHITECTURE.md as data.
 *
 * Every file belongs to one area: its folder, or for a file directly in src `ringcast` (the executable), `config`, or
 * `main` (the composition root and its parts). An area may always import itself. Tests are free.
 */
export interface ImportRule {
  /** Areas (`domain`) or single files (`make-directories.ts`, `rtp/wav.ts`, `telephony/*-transport.ts`). */
  readonly files: readonly string[];
  /** npm packages and `node:` modules. */
  readonly modules: 'any' | readonly string[];
}

const MAKE_DIRECTORIES = 'make-directories.ts';
const G711_AND_WAV = ['rtp/g711.ts', 'rtp/wav.ts'];

export const IMPORT_RULES: Readonly<Record<string, ImportRule>> = {
  domain: { files: [], modules: [] },
  rtp: { files: [], modules: ['node:crypto'] },
  sdp: { files: ['rtp'], modules: ['node:crypto', 'sdp-transform'] },
  sip: { files: ['sdp', 'rtp'], modules: ['node:crypto'] },
  app: { files: ['domain'], modules: [] },
  media: { files: ['domain', 'rtp'], modules: 'any' },
  telephony: { files: ['domain', 'sip', 'sdp', 'rtp', 'media/link.ts'], modules: 'any' },
  phone: {
    files: ['sip', 'sdp', 'rtp', 'telephony/*-transport.ts', 'telephony/local-address.ts', MAKE_DIRECTORIES],
    modules: 'any',
  },
  audio: { files: ['domain', ...G711_AND_WAV], modules: 'any' },
  store: { files: ['domain', MAKE_DIRECTORIES], modules: 'any' },
  metrics: { files: ['domain'], modules: 'any' },
  trace: { files: ['domain', 'sip/peek-call-id.ts'], modules: [] },
  webhooks: { files: ['domain'], modules: 'any' },
  http: { files: ['domain', 'app'], modules: 'any' },
  cli: { files: ['config'], modules: 'any' },
  console: { files: [], modules: 'any' },
  demo: { files: ['cli', ...G711_AND_WAV], modules: 'any' },
  config: { files: ['domain'], modules: 'any' },
  ringcast: { files: ['cli', 'demo', 'phone', 'main', 'config'], modules: 'any' },
  main: {
    files: [
      ...[
        'domain',
        'app',
        'sip',
        'sdp',
        'rtp',
        'media',
        'telephony',
        'audio',
        'store',
        'metrics',
        'trace',
        'webhooks',
        'http',
      ],
      'config',
    ],
    modules: 'any',
  },
};

/** The area of a file, given relative to src with forward slashes. */
export function areaOf(path: string): string {
  const [folder, ...rest] = path.split('/');
  if (folder !== undefined && rest.length > 0) return folder;
  if (path === 'ringcast.ts' || path === 'command-line.ts') return 'ringcast';
  return /^config(\.|-|$)/.test(path) ? 'config' : 'main';
}

/**
 * Why `from`, relative to src, may not import `specifier`, as it stands in the source; null if it may. A specifier of
 * null is one that is computed.
 */
export function violation(from: string, specifier: string | null): string | null {
  if (from.endsWith('.test.ts')) return null;
  if (specifier === null) return 'an import() or require() that cannot be checked';
  const area = areaOf(from);
  const rule = IMPORT_RULES[area];
  if (rule === undefined) return `src/${area} has no line in the table of scripts/import-rules.ts`;
  if (!specifier.startsWith('.')) return moduleViolation(area, rule, specifier);
  const target = resolve(from, specifier);
  if (target === null) return `src/${from} reaches outside src: ${specifier}`;
  if (areaOf(target) === area || rule.files.some((allowed) => covers(allowed, target))) return null;
  return `${area} may not import ${target}; it may import ${rule.files.join(', ') || 'nothing but itself'}`;
}

function moduleViolation(area: string, { modules }: ImportRule, specifier: string): string | null {
  if (modules === 'any' || modules.includes(specifier)) return null;
  return `${area} may not import ${specifier}; it may import ${modules.join(', ') || 'no module'}`;
}

/** The path relative to src that a relative specifier means, or null when it is outside. */
function resolve(from: string, specifier: string): string | null {
  const parts = from.split('/').slice(0, -1);
  for (const step of specifier.split('/')) {
    if (step === '.') continue;
    if (step !== '..') parts.push(step);
    else if (parts.pop() === undefined) return null;
  }
  return parts.join('/');
}

function covers(allowed: string, target: string): boolean {
  if (!allowed.includes('/')) return areaOf(target) === allowed || target === allowed;
  const [before = '', after] = allowed.split('*');
  if (after === undefined) return target === allowed;
  return target.startsWith(before) && target.endsWith(after);
}
