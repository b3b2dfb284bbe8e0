import type { IncomingMessage } from 'node:http';

const LINGER_MS = 5000;

/**
 * Lets the rest of a body that was refused run into the void for a while, so that the sender can read the answer
 * (closing at once would reset the connection under it), and then hangs up.
 */
export const linger = (request: IncomingMessage): void => {
  if (request.complete || request.destroyed) return;
  const timer = setTimeout(() => request.socket.destroy(), LINGER_MS).unref();
  request.once('close', () => clearTimeout(timer));
  // What a broken line does to octets that nobody wants is of no interest.
  request.on('error', () => undefined);
  request.resume();
};
