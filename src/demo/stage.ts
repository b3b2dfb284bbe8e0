import { join } from 'node:path';
import { type Child, EndedEarly, startChild } from './child.ts';

/** The server and the test phone, both children of this process. */
export interface Stage {
  readonly server: Child;
  readonly phone: Child;
  readonly publicUrl: string;
  readonly operatorUrl: string;
  /** `sip:` URI that the network calls. */
  readonly phoneUri: string;
  readonly phonePort: number;
  readonly recordDirectory: string;
}

export interface StageOptions {
  readonly executable: string;
  readonly dataDirectory: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Ports of the server's listeners; 0 for any free one. */
  readonly ports: { readonly public: number; readonly operator: number; readonly sip: number };
  /** Tried first; if it is taken the phone gets any free one. */
  readonly phonePort: number;
  readonly signal: AbortSignal;
  /** Is told of each child as soon as it exists, so that none outlives a failed start. */
  readonly onChild: (child: Child) => void;
}

const READY_WITHIN_MS = 30_000;
const RINGS_FOR_SECONDS = 1;

const isReady = (said: Readonly<Record<string, unknown>>): boolean => said.ready === true;

const start = async (options: StageOptions, name: string, args: readonly string[]) => {
  const { executable, environment, signal } = options;
  signal.throwIfAborted();
  const child = startChild({ name, executable, args, environment, signal });
  options.onChild(child);
  return { child, ready: await child.untilSaid(isReady, READY_WITHIN_MS) };
};

const startServer = ({ dataDirectory, ports, ...options }: StageOptions) => {
  const listen = (flag: string, port: number): string[] => [flag, `127.0.0.1:${port}`];
  return start({ dataDirectory, ports, ...options }, 'the server', [
    'serve',
    ...['--data-dir', dataDirectory],
    ...listen('--public-listen', ports.public),
    ...listen('--operator-listen', ports.operator),
    ...listen('--sip-listen', ports.sip),
  ]);
};

const startPhoneAt = (options: StageOptions, recordDirectory: string, port: number) =>
  start(options, 'the test phone', [
    'phone',
    ...['--listen', `127.0.0.1:${port}`],
    ...['--record', recordDirectory],
    ...['--answer-after', String(RINGS_FOR_SECONDS)],
  ]);

const startPhone = async (options: StageOptions, recordDirectory: string) => {
  if (options.phonePort === 0) return startPhoneAt(options, recordDirectory, 0);
  try {
    return await startPhoneAt(options, recordDirectory, options.phonePort);
  } catch (error) {
    if (!(error instanceof EndedEarly)) throw error;
    // The usual port is taken, most often by a phone of the user's own: any other does as well.
    return startPhoneAt(options, recordDirectory, 0);
  }
};

const portOf = (sipUri: unknown): number => Number(/:([0-9]+)(?:;.*)?$/.exec(String(sipUri))?.[1]);

/** Starts both; throws a Failure that tells why one of them did not start. */
export const openStage = async (options: StageOptions): Promise<Stage> => {
  const recordDirectory = join(options.dataDirectory, 'recordings');
  const starts = [startServer(options), startPhone(options, recordDirectory)] as const;
  // Both are waited for: if neither can start, the server says best what is wrong with their common folder.
  await Promise.allSettled(starts);
  const [server, phone] = [await starts[0], await starts[1]];
  const phonePort = portOf(phone.ready.sip);
  return {
    server: server.child,
    phone: phone.child,
    publicUrl: String(server.ready.public),
    operatorUrl: String(server.ready.operator),
    phoneUri: `sip:test@127.0.0.1:${phonePort}`,
    phonePort,
    recordDirectory,
  };
};
