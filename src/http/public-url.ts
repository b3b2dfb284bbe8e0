/** What absolute URLs begin with: the public URL without a trailing slash, or nothing, never the `Host` header. */
export const baseOf = (publicUrl: URL | null): string => publicUrl?.href.replace(/\/+$/, '') ?? '';

const ROOTS = ['/api/', '/health/', '/openapi.json', '/docs'];
const ORIGIN = /^https?:\/\/[^/?#]*/i;

/**
 * Undoes a path prefix, for proxies that do not strip it: a target below the prefix reads as if it were not.
 * Also takes the origin off a target in absolute form (RFC 9112 3.2.2).
 */
export const stripPrefix = (publicUrl: URL | null): ((target: string) => string) => {
  const prefix = publicUrl?.pathname.replace(/\/+$/, '') ?? '';
  return (target) => {
    const path = target.startsWith('/') ? target : target.replace(ORIGIN, '') || '/';
    if (prefix === '' || !path.startsWith(`${prefix}/`)) return path;
    const rest = path.slice(prefix.length);
    return ROOTS.some((root) => rest.startsWith(root)) ? rest : path;
  };
};
