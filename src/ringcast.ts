#!/usr/bin/env node
// Nothing is imported before the version is known to do: an older Node would end in a stack trace.
const MIN_NODE_MAJOR = 24;

if (Number.parseInt(process.versions.node, 10) < MIN_NODE_MAJOR) {
  process.stderr.write(
    `ringcast: Node ${process.versions.node} is too old: install Node ${MIN_NODE_MAJOR} or newer (https://nodejs.org).\n`,
  );
  process.exitCode = 2;
} else {
  const { runCommandLine } = await import('./command-line.ts');
  await runCommandLine();
}

export {};
