import { STATUS_CODES } from 'node:http';
import type { Refusal } from './error-status.ts';

export const PROBLEM_TYPE = 'application/problem+json';

/**
 * RFC 9457 4.2.1: with `about:blank` the title is the HTTP status phrase. `code` is for programs, `field` names what to
 * mend.
 */
export const problemOf = ({ status, message, code, field }: Refusal): Record<string, unknown> => ({
  type: 'about:blank',
  title: STATUS_CODES[status] ?? 'Error',
  status,
  detail: message,
  code,
  ...(field === undefined ? {} : { field }),
});
