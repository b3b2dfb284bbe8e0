/** A setting of the server: an environment variable, and the flag of `serve` that stands for it. */
export interface Setting {
  readonly variable: string;
  readonly flag: string;
  readonly description: string;
  readonly default: string | null;
}

export interface PhoneOptions {
  readonly listen: { readonly address: string; readonly port: number };
  readonly recordDirectory: string | null;
  readonly answerAfterMs: number;
  readonly behaviour: PhoneBehaviour;
  /** What it says to be called by. */
  readonly transport: 'udp' | 'tcp' | 'tls';
  /** PEM files for TLS. */
  readonly certificate: { readonly certificatePath: string; readonly keyPath: string } | null;
}

export type PhoneBehaviour = 'answer' | 'busy' | 'ring' | 'decline' | { readonly hangUpAfterMs: number };

export interface DemoOptions {
  readonly files: readonly string[];
  readonly stay: boolean;
  readonly dataDirectory: string;
}

/** Rings a phone of its own with a server of its own and compares the audio; what was found, or a Failure. */
export type CallItself = () => Promise<string>;

/** The parts of Ringcast that are no HTTP client. They come in from outside, since commands know the HTTP APIs only. */
export interface Launch {
  readonly settings: readonly Setting[];
  /** Runs the server until it is told to stop. `flags` by their names, `--data-dir` and so on. */
  serve(flags: Readonly<Record<string, string>>): Promise<void>;
  phone(options: PhoneOptions): Promise<void>;
  /** Throws a Failure if what the phone heard differs, or the demo could not be done. */
  demo(options: DemoOptions): Promise<void>;
  callItself: CallItself;
  /** Copies the data of `dataDirectory` into the new folder `target`. Throws an Error that names the fix. */
  backUp(target: string, dataDirectory: string): Promise<void>;
}
