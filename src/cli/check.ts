/** One finding of `ringcast doctor`. */
export interface Check {
  readonly name: string;
  readonly state: 'ok' | 'problem' | 'skipped';
  /** What was found. */
  readonly detail: string;
  /** What to do about it; only of a problem. */
  readonly fix?: string;
}

export const ok = (name: string, detail: string): Check => ({ name, state: 'ok', detail });
export const skipped = (name: string, detail: string): Check => ({ name, state: 'skipped', detail });
export const problem = (name: string, detail: string, fix: string): Check => ({ name, state: 'problem', detail, fix });
