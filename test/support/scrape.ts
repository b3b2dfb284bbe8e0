import { must } from './scenario.ts';

export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Samples of Prometheus' text format. Throws at a line that is none. */
export const samplesOf = (text: string): readonly Sample[] =>
  text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map(sampleOf);

const sampleOf = (line: string): Sample => {
  const [, name = '', labels = '', value = ''] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
  if (name === '') throw new Error(`no sample: ${line}`);
  const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key = '', text = '']) => [key, text]);
  return { name, labels: Object.fromEntries(pairs), value: Number(value) };
};

/** Every name a query may use: families, and what histograms and summaries make of theirs. */
export const namesOf = (text: string): ReadonlySet<string> => {
  const families = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)];
  return new Set(
    families.flatMap(([, name = '', type]) =>
      type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
    ),
  );
};

/** The value of the one sample of that name and exactly those labels, undefined if there is none. */
export const sampleValue = (text: string, name: string, labels: Record<string, string> = {}): number | undefined => {
  const wanted = JSON.stringify(Object.entries(labels).sort());
  const found = samplesOf(text).filter(
    (sample) => sample.name === name && JSON.stringify(Object.entries(sample.labels).sort()) === wanted,
  );
  if (found.length > 1) throw new Error(`${name} is there ${found.length} times`);
  return found[0]?.value;
};

/** Reads `GET /metrics` of a server. */
export const scrape = async (server: { operatorUrl: string; operatorToken: string }): Promise<string> => {
  const answer = await fetch(`${server.operatorUrl}/metrics`, {
    headers: { authorization: `Bearer ${server.operatorToken}` },
  });
  return must(200, { status: answer.status, body: await answer.text() });
};
