import { expect } from 'vitest';
import { type HttpFixture, KEY } from './http-fixture.ts';

/** The application API as a calling program uses it. */
export const applicationClient = (server: () => HttpFixture) => {
  const call = (method: string, path: string, options: { key?: string; body?: unknown } = {}) =>
    fetch(server().publicUrl + path, {
      method,
      headers: {
        authorization: `Bearer ${options.key ?? KEY}`,
        ...(options.body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
    });

  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects, and fails on what is not there
  const json = async (response: Response): Promise<any> => response.json();

  const get = async (path: string, key = KEY) => json(await call('GET', path, { key }));

  const expectProblem = async (response: Response, status: number, field?: string): Promise<void> => {
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    expect(response.headers.get('cache-control')).toBe('no-store');
    const problem = await json(response);
    expect(problem).toMatchObject({ type: 'about:blank', status, title: expect.any(String) });
    expect(problem.detail).toMatch(/^\S.+\.$/);
    expect(problem.field).toBe(field);
  };

  return { call, json, get, expectProblem };
};
