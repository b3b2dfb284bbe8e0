import { expect } from 'vitest';
import { type HttpFixture, OPERATOR_TOKEN } from './http-fixture.ts';

export const TRUNK = { host: 'sip.example', transport: 'udp', allowedPrefixes: ['+1555', '+44'], srtp: 'off' };

// biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects, and fails on what is not there
export const json = async (response: Response): Promise<any> => response.json();

export const expectProblem = async (response: Response, status: number, field?: string): Promise<string> => {
  expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json/);
  const problem = await json(response);
  expect([response.status, problem.field]).toEqual([status, field]);
  expect(problem).toMatchObject({ type: 'about:blank', status });
  expect(problem.detail).toMatch(/^\S.+\.$/);
  return problem.detail;
};

/** The operator API, as its operator calls it. */
export const operatorClient = (server: () => HttpFixture) => {
  const call = (method: string, path: string, body?: unknown) =>
    fetch(`${server().operatorUrl}/operator/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${OPERATOR_TOKEN}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });

  const created = async (path: string, body: unknown) => {
    const response = await call('POST', path, body);
    const answer = await json(response);
    expect([response.status, answer.detail]).toEqual([201, undefined]);
    if (answer.secret === undefined) {
      expect(response.headers.get('location')).toBe(`/operator/v1${path}/${answer.id}`);
    }
    return answer;
  };

  return { call, created };
};
