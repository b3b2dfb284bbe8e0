import { expect, test } from 'vitest';
import { curlLines, nextSteps, stayingSteps } from './next-steps.ts';

const MADE = {
  baseUrl: 'http://127.0.0.1:8080',
  appKey: 'key-1',
  networkId: '3',
  mediaIds: ['101', '102'],
  blastId: '42',
};
const NAMES = { ringcast: './ringcast', serve: 'npm start' };

test('three curl lines hold the real ids and the key', () => {
  expect(curlLines(MADE)).toEqual([
    'curl -sS -d action=blast -d networkid=3 -d appkey=key-1 http://127.0.0.1:8080/api/rest/media/101-102',
    'curl -sS -d action=upload_grant -d appkey=key-1 http://127.0.0.1:8080/api/rest/media/101',
    "curl -sS -H 'Authorization: Bearer key-1' http://127.0.0.1:8080/api/v1/blasts/42",
  ]);
});

test('after the demo: the server, the phone, and the lines', () => {
  const text = nextSteps(NAMES, { port: 5070, recordings: 'data/recordings' }, MADE).join('\n');
  expect(text).toContain('  npm start\n');
  expect(text).toContain('  ./ringcast phone --record data/recordings\n');
  for (const line of curlLines(MADE)) expect(text.split('\n')).toContain(`  ${line}`);
});

test('a phone at another port is told where to listen: the network calls it there', () => {
  const phone = { port: 40123, recordings: 'my data/recordings' };
  expect(nextSteps(NAMES, phone, MADE).join('\n')).toContain(
    "./ringcast phone --listen 127.0.0.1:40123 --record 'my data/recordings'\n",
  );
});

test('when they stay, nothing has to be started', () => {
  const text = stayingSteps(MADE).join('\n');
  expect(text).not.toContain('npm start');
  for (const line of curlLines(MADE)) expect(text.split('\n')).toContain(`  ${line}`);
});
