import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { SETTINGS } from '../../src/config-settings.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string): string => readFileSync(`${root}/${path}`, 'utf8');

/** The settings of each node of compose.yaml, as they stand there. */
const nodesOf = (compose: string): Record<string, string>[] =>
  compose
    .split(/^ {2}(?=node\d:$)/m)
    .slice(1)
    .map((node) => Object.fromEntries([...node.matchAll(/^ {6}(RINGCAST_\w+): (\S+)$/gm)].map(([, k, v]) => [k, v])));

describe.each(['deploy/Containerfile', 'deploy/compose.yaml', 'deploy/ringcast.service'])('%s', (path) => {
  it('names settings that there are', () => {
    const named = [...read(path).matchAll(/\bRINGCAST_[A-Z_]+\b/g)].map(([name]) => name);
    expect(named.length).toBeGreaterThan(0);
    const known = SETTINGS.map(({ variable }) => variable);
    // `RINGCAST_…` of a comment ends in an underscore.
    for (const name of named.filter((name) => !name.endsWith('_'))) expect(known).toContain(name);
  });
});

describe('the nodes of compose.yaml', () => {
  const configs = nodesOf(read('deploy/compose.yaml')).map((settings) => readConfig(settings));

  it('are three whose settings can be used', () => {
    expect(configs).toHaveLength(3);
  });

  it('share the host without a port in common', () => {
    const ports = configs.flatMap(({ publicListen, operatorListen, sipListen }) => [
      publicListen.port,
      operatorListen.port,
      sipListen.port,
      sipListen.port + 1,
    ]);
    expect(new Set(ports).size).toBe(12);
    const ranges = configs.map(({ rtpPorts }) => rtpPorts).sort(([one], [other]) => one - other);
    for (const [index, [from, to]] of ranges.entries()) {
      expect(from).toBeGreaterThan(ranges[index - 1]?.[1] ?? 0);
      expect(ports.filter((port) => port >= from && port <= to)).toEqual([]);
    }
  });

  it('are those that prometheus.yml asks', () => {
    const operators = configs.map(({ operatorListen: { address, port } }) => `'${address}:${port}'`);
    expect(read('deploy/prometheus.yml')).toContain(`targets: [${operators.join(', ')}]`);
  });
});

describe('time to end calls', () => {
  it.each([
    ['deploy/compose.yaml', /stop_grace_period: (\d+)s/],
    ['deploy/ringcast.service', /TimeoutStopSec=(\d+)/],
  ])('is more in %s than a drain takes', (path, pattern) => {
    expect(Number(pattern.exec(read(path))?.[1])).toBeGreaterThan(35);
  });
});
