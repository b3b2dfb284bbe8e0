import type { CallSockets } from './call-sockets.ts';
import { descriptorsOf } from './descriptors.ts';
import { type Libc, loadLibc } from './libc.ts';
import { createSendmsgOutbox, type LibcOutbox } from './libc-outbox.ts';
import { createRingOutbox } from './libc-ring.ts';
import { createLibcSockets } from './libc-sockets.ts';
import type { SocketKind } from './messages.ts';
import { createPortableSockets } from './portable-sockets.ts';

export interface OpenedSockets {
  readonly sockets: CallSockets;
  /** Whether they need no event loop. */
  readonly isBlocking: boolean;
  /** What is used in place of what would be better, and why; null if nothing is. */
  readonly fallback: string | null;
}

export interface SocketsOptions {
  readonly kind: SocketKind;
  readonly bindAddress: string;
  readonly rows: number;
  readonly descriptors: SharedArrayBuffer;
}

interface OpenedOutbox {
  readonly outbox: LibcOutbox;
  readonly fallback: string | null;
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const openOutbox = (libc: Libc, { kind, descriptors }: SocketsOptions): OpenedOutbox => {
  if (kind === 'sendmsg') return { outbox: createSendmsgOutbox(libc), fallback: null };
  try {
    return { outbox: createRingOutbox(libc, descriptorsOf(descriptors).keepRing), fallback: null };
  } catch (error) {
    return { outbox: createSendmsgOutbox(libc), fallback: `RTP takes a system call a packet: ${messageOf(error)}` };
  }
};

/** The best sockets of a kind that can be had here. */
export const openSockets = (options: SocketsOptions): OpenedSockets => {
  const portable = (fallback: string | null): OpenedSockets => ({
    sockets: createPortableSockets(options.bindAddress, options.rows),
    isBlocking: false,
    fallback,
  });
  if (options.kind === 'portable') return portable(null);
  try {
    const libc = loadLibc();
    const { outbox, fallback } = openOutbox(libc, options);
    return { sockets: createLibcSockets(libc, { ...options, outbox }), isBlocking: true, fallback };
  } catch (error) {
    return portable(`RTP goes through node:dgram: ${messageOf(error)}`);
  }
};
