import { curlBlast, curlGet, curlGrant, shellWord } from '../cli/shell.ts';
import type { OwnNames } from './own-names.ts';

/** What the curl lines need: names and the key that the demo made. */
export interface Made {
  readonly baseUrl: string;
  readonly appKey: string;
  readonly networkId: string;
  readonly mediaIds: readonly string[];
  readonly blastId: string;
}

/** Three lines that work as printed while the server runs; with the phone, it rings. */
export const curlLines = (made: Made): string[] => {
  const { baseUrl, appKey, networkId, mediaIds, blastId } = made;
  return [
    curlBlast({ baseUrl, mediaIds, networkId, appKey }),
    curlGrant(baseUrl, mediaIds[0] ?? '', appKey),
    curlGet(`${baseUrl}/api/v1/blasts/${encodeURIComponent(blastId)}`, appKey),
  ];
};

const whatTheyDo = (lines: readonly string[]): string[] => {
  const titles = ['blast again', 'ask for an upload grant', 'see what became of the first blast'];
  return lines.flatMap((line, index) => [`  # ${titles[index]}`, `  ${line}`]);
};

export const USUAL_PHONE_PORT = 5070;

/** The test phone as the demo had it. */
export interface PhoneAgain {
  readonly port: number;
  /** Where its recordings go, as a person in the working directory writes it. */
  readonly recordings: string;
}

const phoneLine = (names: OwnNames, { port, recordings }: PhoneAgain): string => {
  const listen = port === USUAL_PHONE_PORT ? '' : ` --listen 127.0.0.1:${port}`;
  return `${names.ringcast} phone${listen} --record ${shellWord(recordings)}`;
};

/** After a demo that has ended: how to start everything again, and what to ask it. */
export const nextSteps = (names: OwnNames, phone: PhoneAgain, made: Made): string[] => [
  'What to try next, each in a terminal of its own:',
  `  ${names.serve}`,
  '      the server, with the data that this demo made',
  `  ${phoneLine(names, phone)}`,
  '      the phone; without it a call ends unreachable',
  'and then:',
  ...whatTheyDo(curlLines(made)),
];

/** While server and phone stay: what to ask them. */
export const stayingSteps = (made: Made): string[] => [
  'Server and phone keep running; Ctrl-C ends them. Try, in another terminal:',
  ...whatTheyDo(curlLines(made)),
];
