import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { LookupFunction } from 'node:net';
import type { SignedRequest } from './sign.ts';

/** Octets of an answer that are read, for the connection to end well; what is in them does not matter. */
const MAX_ANSWER_BYTES = 65_536;

/**
 * Posts to exactly this address, whatever the name of the URL resolves to by now; the status of the answer. Follows
 * no redirect. Rejects if there is no whole answer before `signal`.
 */
export const post = (
  url: URL,
  address: string,
  { headers, body }: SignedRequest,
  signal: AbortSignal,
): Promise<number> =>
  new Promise((resolve, reject) => {
    const send = url.protocol === 'https:' ? requestHttps : requestHttp;
    // A connection of its own each: one that is kept could have been opened under another answer of the DNS.
    const options = { method: 'POST', headers, agent: false, lookup: pinnedTo(address), signal } as const;
    const request = send(url, options, (response) => {
      let leftBytes = MAX_ANSWER_BYTES;
      response.on('data', (octets: Buffer) => {
        leftBytes -= octets.length;
        if (leftBytes < 0) response.destroy();
      });
      response.on('error', () => undefined);
      response.on('close', () => {
        if (signal.aborted) reject(signal.reason);
        else resolve(response.statusCode ?? 0);
      });
    });
    request.on('error', reject);
    request.end(body);
  });

const pinnedTo =
  (address: string): LookupFunction =>
  (_hostname, options, done) => {
    const family = address.includes(':') ? 6 : 4;
    if (options.all) done(null, [{ address, family }]);
    else done(null, address, family);
  };
