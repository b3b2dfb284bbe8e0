/** What a person is told when a command cannot do its work: one sentence that names the fix and never holds a key. */
export class Failure extends Error {
  override readonly name = 'Failure';
  /** Exit status: 1 failed, 2 wrong usage. */
  readonly exitStatus: 1 | 2;

  constructor(message: string, exitStatus: 1 | 2 = 1) {
    super(message);
    this.exitStatus = exitStatus;
  }
}

/** The server was there and did not want to: asking again changes nothing. */
export class Refused extends Failure {}

/** The sentence of anything that was thrown, for a message of our own. */
export const sentenceOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
