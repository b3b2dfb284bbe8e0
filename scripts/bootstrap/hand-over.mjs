// Hands this process over to another program, so that input, output, signals and exit status are the program's own.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';

const FORWARDED_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGUSR2'];

/** Replaces this process where Node can (execve); else stands in for the program until it ends. */
export function handOver(file, args) {
  if (typeof process.execve === 'function') process.execve(file, [file, ...args], process.env);
  else standInFor(spawn(file, args, { stdio: 'inherit' }));
}

function standInFor(child) {
  for (const signal of FORWARDED_SIGNALS) process.on(signal, () => forward(child, signal));
  child.once('error', (error) => {
    process.stderr.write(`ringcast: ${child.spawnfile} could not be started: ${error.message}\n`);
    process.exitCode = 1;
  });
  child.once('exit', (status, signal) => {
    process.exitCode = status ?? 128 + constants.signals[signal];
    if (signal) endBy(signal);
  });
}

/** Ctrl-C and a closed terminal reach the whole foreground group: the child has that signal already. */
function forward(child, signal) {
  const sentByTerminal = process.stdin.isTTY === true && (signal === 'SIGINT' || signal === 'SIGHUP');
  if (!sentByTerminal) child.kill(signal);
}

/** Whoever waits for us sees the child's own end. */
function endBy(signal) {
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}
