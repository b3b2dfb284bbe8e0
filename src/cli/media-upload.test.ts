import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openAnswerLosingProxy } from '../../test/support/answer-losing-proxy.ts';
import { type CommandLine, openCommandLine } from '../../test/support/command-line.ts';
import { type Cut, openCutProxy } from '../../test/support/cut-proxy.ts';
import { type HttpFixture, KEY, OPERATOR_TOKEN, startHttp } from '../../test/support/http-fixture.ts';
import { uploadClient } from '../../test/support/upload-client.ts';
import { runProgram } from './program.ts';
import { uploadLine } from './upload-bar.ts';
import { uploadByGrant } from './upload-by-grant.ts';

const SIZE = 5_500_000;
const AUDIO = Buffer.concat([Buffer.from('audio'), randomBytes(SIZE - 5)]);
const DIGEST = createHash('sha256').update(AUDIO).digest('hex');

let http: HttpFixture;
let cli: CommandLine;
let file: string;
beforeAll(async () => {
  http = await startHttp({ limits: { maxUploadBytes: SIZE }, idleTimeoutMs: 2000 });
  cli = await openCommandLine();
  file = join(cli.directory, 'clip.wav');
  await writeFile(file, AUDIO);
});
afterAll(async () => {
  await cli.close();
  await http.close();
});

const { put, clipOf } = uploadClient(() => http);

/** Not by HTTP: a server with a short idle time-out closes the line under a client that keeps it. */
const issue = async (mediaId = '101'): Promise<string> => {
  const caller = await http.store.view((views) => views.findCaller(KEY));
  if (!caller) throw new Error('no caller');
  const { token } = await http.store.transact((tx) => tx.issueGrant({ mediaId, caller, ttlSeconds: 60 }));
  return `/api/rest/media/${mediaId}/${token}`;
};

/** The same command line on a terminal, errors and bar in `err`. */
const onTerminal = async (...args: string[]) => {
  const written = { out: '', err: '' };
  const status = await runProgram(args, cli.launch, {
    out: { write: (text) => (written.out += text) },
    err: { isTTY: true, write: (text) => (written.err += text) },
  });
  return { status, ...written };
};

const upload = (...args: string[]) => ['media', 'upload', ...args];
const asOperator = (token = OPERATOR_TOKEN) => ['--operator-url', http.operatorUrl, '--operator-token', token];
const linesOf = (drawn: string): string[] => drawn.split('\r\x1b[K');

describe('media upload ID FILE', () => {
  it('draws a bar on a terminal and takes it away', async () => {
    const { status, out, err } = await onTerminal(...upload('101', file, ...asOperator()));
    expect([status, out]).toEqual([0, `media 101 now plays ${file}\n`]);
    const lines = linesOf(err);
    expect(lines.length).toBeGreaterThan(10);
    expect(lines.at(-2)).toBe('  [########################] 100 %  5.5 MB sent; the server decodes it');
    expect(lines.at(-1)).toBe('');
    expect(await clipOf('101')).toMatchObject({ digest: DIGEST, originalBytes: SIZE });
  });

  it('draws nothing elsewhere', async () => {
    expect(await cli.run(...upload('101', file, ...asOperator()))).toMatchObject({ status: 0, err: '' });
  });

  it('tells what the server refused, at once', async () => {
    const large = join(cli.directory, 'large.wav');
    await writeFile(large, Buffer.concat([AUDIO, AUDIO]));
    const { status, err } = await cli.run(...upload('101', large, ...asOperator()));
    expect([status, err]).toEqual([1, expect.stringMatching(/^ringcast: The file is larger than .+\.\n$/)]);
    const refused = await onTerminal(...upload('101', file, ...asOperator('wrong')));
    expect([refused.status, linesOf(refused.err).at(-1)]).toEqual([1, expect.stringContaining('--operator-token')]);
  });
});

describe('media upload --grant URI FILE', () => {
  it('uploads with a bar, by the path of the grant or its whole address', async () => {
    const { status, out, err } = await onTerminal(...upload('--grant', await issue(), '--url', http.publicUrl, file));
    expect([status, out]).toEqual([0, `${file} is uploaded; the grant is spent\n`]);
    expect(linesOf(err).at(-2)).toBe('  [########################] 100 %  5.5 MB sent; the server decodes it');
    expect(await clipOf('101')).toMatchObject({ digest: DIGEST });
    const whole = await cli.run(...upload('--grant', http.publicUrl + (await issue('102')), file));
    expect(whole).toMatchObject({ status: 0, err: '' });
    expect(await clipOf('102')).toMatchObject({ digest: DIGEST });
  });

  it.each<Cut>(['FIN', 'RST', 'silence'])('goes on after a line cut by %s', async (cut) => {
    const uri = await issue('103');
    const proxy = await openCutProxy(http.publicPort, { cut, everyBytes: 1_700_000, times: 2 });
    const notes: string[] = [];
    const bar = { ...NO_BAR, note: (text: string) => notes.push(text) };
    try {
      await uploadByGrant({
        url: `http://127.0.0.1:${proxy.port}${uri}`,
        file,
        bar,
        memory: NO_MEMORY,
        retryDelaysMs: Array(20).fill(0),
      });
    } finally {
      await proxy.close();
    }
    expect(notes.length).toBeGreaterThanOrEqual(2);
    // What had arrived was not sent again.
    expect(proxy.forwarded()).toBeLessThan(1.5 * SIZE);
    expect(await clipOf('103')).toMatchObject({ digest: DIGEST });
  });

  it.each([
    ['a spent grant', async () => spent(await issue()), AUDIO, /^ringcast: .*(spent|used|revoked).*\.\n$/],
    ['an unknown grant', async () => '/api/rest/media/101/123', AUDIO, /^ringcast: .+\.\n$/],
    ['no audio', issue, Buffer.from('no tune at all'), /^ringcast: The file is not audio\.\n$/],
    ['a file that is too large', issue, Buffer.concat([AUDIO, AUDIO]), /^ringcast: The file is larger than .+\.\n$/],
  ])('tells in one sentence without the token: %s', async (_what, grant, octets, sentence) => {
    const uri = await grant();
    const path = join(cli.directory, 'sent.wav');
    await writeFile(path, octets);
    const { status, err } = await cli.run(...upload('--grant', http.publicUrl + uri, path));
    expect([status, err]).toEqual([1, expect.stringMatching(sentence)]);
    expect(err).not.toContain(uri.split('/').pop());
  });

  it('ends well when the last answer is lost', async () => {
    const proxy = await openAnswerLosingProxy(http.publicPort, SIZE);
    const url = `http://127.0.0.1:${proxy.port}${await issue('103')}`;
    try {
      await uploadByGrant({ url, file, bar: NO_BAR, memory: NO_MEMORY, retryDelaysMs: [0, 0] });
    } finally {
      await proxy.close();
    }
    expect(await clipOf('103')).toMatchObject({ digest: DIGEST });
  });

  it('tells that nothing answers, without the token', async () => {
    const closed = createServer().listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const { port } = closed.address() as AddressInfo;
    closed.close();
    await once(closed, 'close');
    const url = `http://127.0.0.1:${port}/api/rest/media/101/1234567`;
    await expect(uploadByGrant({ url, file, bar: NO_BAR, memory: NO_MEMORY, retryDelaysMs: [0] })).rejects.toThrow(
      `nothing answers at http://127.0.0.1:${port}: start it with \`ringcast serve\`, or name another address.`,
    );
  });

  it.each([
    [['101'], 'give ID FILE, or --grant URI FILE.'],
    [['--grant', '/x', '101', 'clip.wav'], 'give ID FILE, or --grant URI FILE.'],
    [['--grant', 'ftp://h/x', 'clip.wav'], '--grant must be an http or https URL such as http://127.0.0.1:8080.'],
  ])('%j is wrong usage', async (args, sentence) => {
    expect(await cli.run(...upload(...args))).toMatchObject({ status: 2, err: `ringcast: ${sentence}\n` });
  });

  it('names a file that cannot be read', async () => {
    const { status, err } = await cli.run(
      ...upload('--grant', 'http://127.0.0.1:9/x', join(cli.directory, 'none.wav')),
    );
    expect([status, err]).toEqual([1, expect.stringContaining('none.wav is no file that can be read')]);
  });
});

const NO_MEMORY = { recall: async () => null, keep: async () => undefined, forget: async () => undefined };
const NO_BAR = { show: () => undefined, note: () => undefined, end: () => undefined };

const spent = async (uri: string): Promise<string> => {
  expect((await put(uri, 'audio')).status).toBe(201);
  return uri;
};

it('the line tells how much, and at its end what is waited for', () => {
  expect(uploadLine(500_000, 2_000_000)).toBe('[######..................]  25 %  0.5 of 2.0 MB');
  expect(uploadLine(0, 0)).toMatch(/ 100 % {2}0\.0 MB sent; the server decodes it$/);
});
