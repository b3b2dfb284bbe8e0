// Coverage-guided fuzzing of the SIP parser: `npm run fuzz -- [--minutes 10] [--seed 1]`. Inputs that reach code in a
// new way are kept in test/fixtures/fuzz, which the suite replays; one that is taken wrongly is kept as fault-*.dat.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { faultOf } from '../support/check-octets.ts';
import { seededRandom } from '../support/seeded-network.ts';
import { mutated } from '../support/sip-mutations.ts';
import { startCoverage } from './coverage.ts';

const FIXTURES = join(import.meta.dirname, '..', 'fixtures');
const CORPUS = join(FIXTURES, 'fuzz');
/** Longer inputs reach nothing that shorter ones do not, and weigh on the repository. */
const MAX_KEPT_BYTES = 2_000;
const BATCH = 64;

const filesIn = (folder: string): Uint8Array[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.dat'))
    .map((file) => readFileSync(join(folder, file)));

const keep = (kind: string, octets: Uint8Array): void => {
  const name = createHash('sha256').update(octets).digest('hex').slice(0, 16);
  writeFileSync(join(CORPUS, `${kind}-${name}.dat`), octets);
};

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '10' }, seed: { type: 'string', default: '1' } },
});
const random = seededRandom(Number(values.seed));
const untilMs = performance.now() + Number(values.minutes) * 60_000;
const corpus = ['sip-torture/rfc4475', 'sip-torture/rfc5118', 'fuzz'].flatMap((folder) =>
  filesIn(join(FIXTURES, folder)),
);
const coverage = startCoverage();
const counts = { inputs: 0, kept: 0, faults: 0 };

/** The sentence of a fault, an exception included. */
const tryOctets = (octets: Uint8Array): string | null => {
  try {
    return faultOf(octets);
  } catch (error) {
    return `it throws: ${(error as Error).stack}`;
  }
};

const judge = (octets: Uint8Array): void => {
  counts.inputs += 1;
  const fault = tryOctets(octets);
  if (fault === null) return;
  counts.faults += 1;
  keep('fault', octets);
  console.log(fault);
};

/** Coverage is slow to read: it is read once for a batch, and for each input only if the batch reached something. */
const keepNew = (batch: readonly Uint8Array[]): void => {
  for (const octets of batch) {
    tryOctets(octets);
    if (!coverage.record() || octets.length > MAX_KEPT_BYTES) continue;
    counts.kept += 1;
    corpus.push(octets);
    keep('new', octets);
  }
};

const pickOne = (): Uint8Array => corpus[Math.floor(random() * corpus.length)] as Uint8Array;

for (const octets of corpus) tryOctets(octets);
coverage.record();
while (performance.now() < untilMs) {
  const batch = Array.from({ length: BATCH }, () => mutated(pickOne(), corpus, random));
  for (const octets of batch) judge(octets);
  if (coverage.isNew()) keepNew(batch);
}
console.log(
  `${counts.inputs} inputs, ${coverage.size} places of src/sip, ${counts.kept} kept, ${counts.faults} faults`,
);
process.exitCode = counts.faults === 0 ? 0 : 1;
