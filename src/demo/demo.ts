import { relative, resolve } from 'node:path';
import { Failure } from '../cli/failure.ts';
import { createLiveView } from '../cli/live-view.ts';
import type { TextStream } from '../cli/output.ts';
import { visible } from '../cli/text.ts';
import { comparisonLines } from './compare.ts';
import { childEnvironment, DATA_SETTINGS, operatorTokenIn } from './environment.ts';
import { type DemoFile, demoFiles } from './files.ts';
import { type Made, nextSteps, stayingSteps, USUAL_PHONE_PORT } from './next-steps.ts';
import { ownNames } from './own-names.ts';
import { type Performance, perform } from './perform.ts';
import { type Provision, provision, uploadClip } from './provision.ts';
import { sentAudio } from './sent-audio.ts';
import { openStage, type Stage } from './stage.ts';
import { withChildren } from './with-children.ts';

export interface DemoRun {
  readonly executable: string;
  readonly files: readonly string[];
  readonly stay: boolean;
  readonly dataDirectory: string;
}

/** The documented ports: of `npm start` after the demo, and of a demo that stays. */
const USUAL_PORTS = { public: 8080, operator: 8081, sip: 5060 };
const ANY_PORTS = { public: 0, operator: 0, sip: 0 };
const USUAL_BASE_URL = `http://127.0.0.1:${USUAL_PORTS.public}`;
const MAX_CALLS = 3;

interface Act {
  readonly run: DemoRun;
  readonly clips: readonly DemoFile[];
  readonly say: (line: string) => void;
  readonly out: TextStream;
  readonly signal: AbortSignal;
  readonly stage: Stage;
}

const uploadAll = async (act: Act, made: Provision): Promise<string[]> => {
  const mediaIds: string[] = [];
  for (const { path, name } of act.clips) {
    const mediaId = await uploadClip(made, name, path);
    act.say(`  upload     ${visible(name)} -> media ${visible(mediaId)}, through a grant`);
    mediaIds.push(mediaId);
  }
  return mediaIds;
};

const ring = async (act: Act, made: Provision, mediaIds: readonly string[]): Promise<Performance> => {
  const sent = await sentAudio(made, mediaIds);
  act.say(`  blast      media ${mediaIds.join('-')} to network ${made.networkId}`);
  act.say('');
  const view = createLiveView(act.out);
  return perform({
    stage: act.stage,
    made,
    mediaIds,
    sent,
    signal: act.signal,
    onProgress: (blast) => view.show(blast),
  });
};

/** Calls, and calls again if a machine that stalled is all that was heard to be wrong. */
const ringSteadily = async (act: Act, made: Provision, mediaIds: readonly string[]): Promise<Performance> => {
  for (let call = 1; ; call++) {
    const performance = await ring(act, made, mediaIds);
    if (!performance.stalled || call === MAX_CALLS) return performance;
    act.say('');
    act.say(`  Calling again: ${performance.difference}.`);
  }
};

const report = (act: Act, { recording, comparison, difference }: Performance): void => {
  act.say('');
  act.say('What the phone heard, compared with what was sent, sample for sample:');
  for (const line of comparisonLines(comparison)) act.say(line);
  act.say(`Recording: ${visible(relative(process.cwd(), recording))}`);
  act.say('');
  if (difference !== null) throw new Failure(`what the phone heard differs from what was sent: ${difference}.`);
};

const untilEnded = async ({ signal, stage, say }: Act): Promise<void> => {
  const interrupted = new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve());
  });
  const dead = Promise.race([stage.server.exited, stage.phone.exited]).then(() => {
    if (!signal.aborted) throw new Failure('the server or the phone ended by itself.');
  });
  await Promise.race([interrupted, dead]);
  say('');
};

const conclude = async (act: Act, made: Omit<Made, 'baseUrl'>): Promise<void> => {
  const { run, stage, say } = act;
  if (run.stay) {
    for (const line of stayingSteps({ ...made, baseUrl: stage.publicUrl })) say(line);
    return untilEnded(act);
  }
  const names = ownNames({ ...run, workingDirectory: process.cwd() });
  const phone = { port: stage.phonePort, recordings: relative(process.cwd(), stage.recordDirectory) };
  for (const line of nextSteps(names, phone, { ...made, baseUrl: USUAL_BASE_URL })) say(line);
};

const play = async (act: Act): Promise<void> => {
  const { run, say, stage, signal } = act;
  say(`  server     ${stage.publicUrl}, data in ${visible(relative(process.cwd(), run.dataDirectory) || '.')}`);
  say(`  phone      ${stage.phoneUri}`);
  const token = await operatorTokenIn(run.dataDirectory, process.env.RINGCAST_OPERATOR_TOKEN);
  const made = await provision(stage, token, signal);
  const mediaIds = await uploadAll(act, made);
  const performance = await ringSteadily(act, made, mediaIds);
  report(act, performance);
  const { appKey, networkId } = made;
  await conclude(act, { appKey, networkId, mediaIds, blastId: performance.blastId });
};

/**
 * `ringcast demo`: server and test phone, an application, a network and clips uploaded through real grants, one blast
 * shown live, and a comparison of what the phone heard with what was sent. Throws a Failure if they differ or anything
 * went wrong. Data of the user's own in the data directory stays; the demo adds its own.
 */
export const runDemo = async (options: DemoRun, out: TextStream): Promise<void> => {
  const run = { ...options, dataDirectory: resolve(options.dataDirectory) };
  const clips = await demoFiles(run.files, process.env.INIT_CWD);
  const say = (line: string): void => void out.write(`${line}\n`);
  await withChildren(async ({ signal, onChild }) => {
    say('Ringcast demo: a server, a test phone, and one call between them');
    const stage = await openStage({
      executable: run.executable,
      dataDirectory: run.dataDirectory,
      environment: childEnvironment(process.env, DATA_SETTINGS),
      ports: run.stay ? USUAL_PORTS : ANY_PORTS,
      phonePort: USUAL_PHONE_PORT,
      signal,
      onChild,
    });
    await play({ run, clips, say, out, signal, stage });
  });
};
