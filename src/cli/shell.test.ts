import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { curlBlast, curlGet, curlGrant, curlUpload, shellWord } from './shell.ts';

/** The words that a real shell makes of a curl line. */
const wordsOf = (line: string): string[] =>
  execFileSync('sh', ['-c', `curl() { printf '%s\\0' "$@"; }; ${line}`], { encoding: 'utf8' })
    .split('\0')
    .slice(0, -1);

const NASTY = `it's a $(touch x) "key" & more; \`id\` \\ end`;

test('any text survives a shell as one word', () => {
  for (const text of [NASTY, '', '-', 'a b', '*', '~', '#x', '101-102', 'http://h/x?y=1']) {
    expect(wordsOf(`curl ${shellWord(text)}`)).toEqual([text]);
  }
});

test('plain words stay readable', () => {
  expect(shellWord('http://127.0.0.1:8080/api/rest/media/101-102')).toBe(
    'http://127.0.0.1:8080/api/rest/media/101-102',
  );
});

test('a blast is a form with the fields of the interface', () => {
  const line = curlBlast({ baseUrl: 'http://h:1', mediaIds: ['101', '102'], networkId: '7', appKey: 'k_1.2-3' });
  expect(line).toBe('curl -sS -d action=blast -d networkid=7 -d appkey=k_1.2-3 http://h:1/api/rest/media/101-102');
});

test('a key of any characters is encoded by curl and quoted for the shell', () => {
  const words = wordsOf(curlGrant('http://h:1', '101', NASTY));
  expect(words).toEqual([
    '-sS',
    ...['-d', 'action=upload_grant'],
    ...['--data-urlencode', `appkey=${NASTY}`],
    'http://h:1/api/rest/media/101',
  ]);
});

test('reading carries the key as a bearer token', () => {
  expect(wordsOf(curlGet('http://h:1/api/v1/blasts/5', 'key'))).toEqual([
    '-sS',
    ...['-H', 'Authorization: Bearer key'],
    'http://h:1/api/v1/blasts/5',
  ]);
});

test('an upload sends the file as the body', () => {
  expect(wordsOf(curlUpload('http://h:1/api/rest/media/101/9', 'my clip.wav'))).toEqual([
    '-sS',
    ...['-T', 'my clip.wav'],
    'http://h:1/api/rest/media/101/9',
  ]);
});
