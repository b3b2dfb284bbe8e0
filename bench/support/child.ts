import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** A program of the bench in a process of its own; its log goes to our standard error. */
export interface Child {
  /** The first line that it wrote, as JSON. */
  readonly ready: unknown;
  /** SIGKILL, and waits until it is gone. */
  kill(): Promise<void>;
}

const start = (script: string, args: readonly string[], environment: Readonly<Record<string, string>>): ChildProcess =>
  spawn(process.execPath, [script, ...args], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });

const firstLine = async (child: ChildProcess): Promise<string> => {
  if (child.stdout) for await (const line of createInterface({ input: child.stdout })) return line;
  throw new Error(`${child.spawnargs.join(' ')} ended before it was ready`);
};

/** Starts a program that goes on; resolves when its first line is there. */
export const startChild = async (
  script: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Child> => {
  const child = start(script, args, environment);
  const exited = once(child, 'exit');
  const ready = JSON.parse(await firstLine(child));
  child.stdout?.resume();
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await exited;
  };
  return { ready, kill };
};

/** Runs a program to its end and answers its one line, as JSON. */
export const runChild = async (script: string, args: readonly string[]): Promise<unknown> => {
  const child = start(script, args, {});
  const exited = once(child, 'exit');
  const answer = JSON.parse(await firstLine(child));
  await exited;
  return answer;
};
