import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { describeWithPeer } from './peer-program.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const promtool = (...args: string[]): string =>
  execFileSync('promtool', args, { cwd: root, encoding: 'utf8', stdio: 'pipe' });

/** Fails with what promtool says of the first expression that it cannot read. */
const checkExpressions = (expressions: readonly string[]): string => {
  const folder = mkdtempSync(join(tmpdir(), 'ringcast-promql-'));
  try {
    const rules = expressions.map((expr, index) => ({ record: `expression_${index}`, expr }));
    // JSON is YAML.
    writeFileSync(join(folder, 'rules.yml'), JSON.stringify({ groups: [{ name: 'expressions', rules }] }));
    return promtool('check', 'rules', join(folder, 'rules.yml'));
  } finally {
    rmSync(folder, { recursive: true });
  }
};

const dashboardExpressions = (): string[] => {
  const dashboard = JSON.parse(readFileSync(join(root, 'docs/grafana-dashboard.json'), 'utf8'));
  return dashboard.panels.flatMap(({ targets = [] }: { targets?: readonly { expr: string }[] }) =>
    targets.map(({ expr }) => expr.replaceAll('$__rate_interval', '5m')),
  );
};

const documentedExpressions = (): string[] => {
  const text = readFileSync(join(root, 'docs/watching.md'), 'utf8');
  const blocks = [...text.matchAll(/```promql\n([\s\S]*?)```/g)].map(([, block = '']) => block);
  return blocks.flatMap((block) => block.trim().split('\n'));
};

describeWithPeer('promtool', 'prometheus', () => {
  it('reads the alerts of deploy/', () => {
    expect(promtool('check', 'rules', 'deploy/alerts.yml')).toContain('6 rules found');
  });

  it('finds that each alert fires when it should, and not when it should not', () => {
    expect(promtool('test', 'rules', 'deploy/alerts.test.yml')).toContain('SUCCESS');
  });

  it.each([
    ['of the dashboard', dashboardExpressions],
    ['in docs/watching.md', documentedExpressions],
  ])('reads every expression %s', (_, read) => {
    const expressions = read();
    expect(expressions.length).toBeGreaterThan(2);
    expect(checkExpressions(expressions)).toContain(`${expressions.length} rules found`);
  });

  it('would say of a wrong one that it is wrong', () => {
    expect(() => checkExpressions(['sum(rate(ringcast_calls_ended_total[5m])'])).toThrow();
  });
});
