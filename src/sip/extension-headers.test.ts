import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { requestOf, responseOf } from '../../test/support/sip-messages.ts';
import { retryAfterOf } from './delta-seconds.ts';
import { hasToken, tokensOf } from './option-tags.ts';
import { q850CauseOf, q850Header, reasonsOf, reasonWords } from './reason.ts';
import { isNextReliable, rackOf, rseqOf } from './reliable-provisional.ts';
import { minSeOf, sessionExpiresOf, timerOfAnswer, timerOfRequest } from './session-timer.ts';

const withHeaders = (...headers: readonly (readonly [string, string])[]) =>
  requestOf('UPDATE', { headers: headers.map(([name, value]) => ({ name, value })) });

describe('option tags', () => {
  test('of several headers, spaces and empty ones dropped', () => {
    const request = withHeaders(['Supported', ' 100rel ,, timer'], ['supported', 'Path']);
    expect(tokensOf(request, 'Supported')).toEqual(['100rel', 'timer', 'Path']);
    expect([hasToken(request, 'Supported', 'TIMER'), hasToken(request, 'Supported', 'rel')]).toEqual([true, false]);
  });
});

describe('Session-Expires and Min-SE', () => {
  test.each([
    ['1800', { seconds: 1_800, refresher: null }],
    ['90;refresher=uas', { seconds: 90, refresher: 'uas' }],
    ['90 ; x=1; Refresher=UAC', { seconds: 90, refresher: 'uac' }],
    ['90;refresher=nobody', { seconds: 90, refresher: null }],
    ['99999999999999', { seconds: 86_400, refresher: null }],
    ['', null],
    ['-5', null],
    ['1e3', null],
    ['uac', null],
  ])('%s', (value, read) => {
    expect(sessionExpiresOf(withHeaders(['Session-Expires', value]))).toEqual(read);
  });

  test('Min-SE is 90 s at least', () => {
    expect(['30', '200', 'x'].map((value) => minSeOf(withHeaders(['Min-SE', value])))).toEqual([90, 200, 90]);
    expect(minSeOf(withHeaders())).toBe(90);
  });

  test('an answer without it has no timer, one without a refresher has us refresh, one too short is the least', () => {
    expect(timerOfAnswer(withHeaders())).toBeNull();
    expect(timerOfAnswer(withHeaders(['Session-Expires', '100']))).toEqual({ seconds: 100, refresher: 'us' });
    expect(timerOfAnswer(withHeaders(['Session-Expires', '1;refresher=uas']))?.seconds).toBe(90);
  });

  test.each([
    ['uac', null, 'them', '200;refresher=uac'],
    ['uas', null, 'us', '200;refresher=uas'],
    [null, 'us', 'us', '200;refresher=uas'],
    [null, 'them', 'them', '200;refresher=uac'],
    [null, null, 'them', '200;refresher=uac'],
  ] as const)('a request that names %s when %s refreshes', (named, current, refresher, answered) => {
    const request = withHeaders(['Session-Expires', named === null ? '200' : `200;refresher=${named}`]);
    const judged = timerOfRequest(request, current && { seconds: 200, refresher: current });
    expect(judged).toEqual({
      ok: true,
      timer: { seconds: 200, refresher },
      headers: [{ name: 'Session-Expires', value: answered }],
    });
  });
});

describe('RSeq and RAck', () => {
  const provisional = (status: number, ...headers: readonly (readonly [string, string])[]) => ({
    ...responseOf(status),
    headers: headers.map(([name, value]) => ({ name, value })),
  });

  test('only a provisional answer above 100 that requires it is reliable', () => {
    const reliable = [
      ['Require', '100rel'],
      ['RSeq', '4294967295'],
    ] as const;
    expect(rseqOf(provisional(183, ...reliable))).toBe(4_294_967_295);
    expect([100, 200].map((status) => rseqOf(provisional(status, ...reliable)))).toEqual([null, null]);
    expect(rseqOf(provisional(183, ['Supported', '100rel'], ['RSeq', '1']))).toBeNull();
    expect(rackOf(provisional(183, ...reliable), 9)).toEqual({ name: 'RAck', value: '9 1 INVITE' });
  });

  test('the first is whatever it is, the next is one higher', () => {
    expect([isNextReliable(null, 77), isNextReliable(77, 78), isNextReliable(77, 77), isNextReliable(77, 79)]).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });
});

describe('Reason', () => {
  test('several, in any letter case, with commas inside quotes', () => {
    const message = withHeaders(['Reason', 'SIP;cause=486, q.850; cause=17 ;text="a, \\"b\\""'], ['reason', 'X']);
    expect(reasonsOf(message)).toEqual([
      { protocol: 'SIP', cause: 486, text: null },
      { protocol: 'Q.850', cause: 17, text: 'a, "b"' },
      { protocol: 'X', cause: null, text: null },
    ]);
    expect(q850CauseOf(message)).toBe(17);
    expect(reasonWords(message)).toBe('SIP 486, Q.850 17: a, "b", X');
  });

  test('what we write is read back', () => {
    const { name, value } = q850Header(19, 'No "answer"');
    expect(reasonsOf(withHeaders([name, value]))).toEqual([{ protocol: 'Q.850', cause: 19, text: 'No "answer"' }]);
  });
});

test('whatever these headers hold, nothing throws, and numbers stay within their bounds', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: fc.constantFrom(...'0123456789;=",() Q.850caus') }),
  );
  fc.assert(
    fc.property(text, (value) => {
      const message = withHeaders(
        ...['Reason', 'Retry-After', 'Session-Expires', 'Min-SE', 'RSeq'].map((name) => [name, value] as const),
      );
      reasonWords(message);
      const judged = timerOfRequest(message, null);
      const seconds = [retryAfterOf(message), minSeOf(message), judged.ok ? judged.timer?.seconds : null];
      for (const each of seconds) expect((each ?? 0) >= 0 && (each ?? 0) <= 86_400).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});
