import { expect } from 'vitest';
import { type HttpFixture, KEY } from './http-fixture.ts';

export interface TestGrant {
  readonly grantId: string;
  readonly uri: string;
}

export const formOf = (...files: string[]): FormData => {
  const form = new FormData();
  for (const file of files) form.append('file', new Blob([file], { type: 'text/html' }), 'my.html');
  return form;
};

export const answerOf = async (response: Response) => {
  const text = await response.text();
  const { MediaResponse } = JSON.parse(text) as { MediaResponse: Record<string, unknown> };
  expect(Object.keys(MediaResponse)).toEqual(['message', 'status', 'downloadUrl', 'fileSize', 'mediaId', 'uri']);
  expect(MediaResponse.status).toBe(response.status);
  expect(response.headers.get('cache-control')).toBe('no-store');
  return { ...MediaResponse, text, headers: response.headers };
};

/** Uploads as senders make them, and what became of their grants. */
export const uploadClient = (server: () => HttpFixture) => {
  const issue = async (mediaId = '101', appkey = KEY): Promise<TestGrant> => {
    const response = await fetch(`${server().publicUrl}/api/rest/media/${mediaId}`, {
      method: 'POST',
      body: new URLSearchParams({ action: 'upload_grant', appkey }),
    });
    return ((await response.json()) as { UploadResponse: TestGrant }).UploadResponse;
  };

  const put = (uri: string, body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
    fetch(server().publicUrl + uri, { method: 'PUT', body, headers });

  const postForm = (uri: string, body: FormData) => fetch(server().publicUrl + uri, { method: 'POST', body });

  const stateOf = (uri: string): Promise<{ state: string; failedTries: number } | null> =>
    server().store.view((views) => views.findGrant(uri.split('/').pop() ?? ''));

  const untilClaimed = async (uri: string): Promise<void> => {
    while ((await stateOf(uri))?.state !== 'claimed') await new Promise((resolve) => setImmediate(resolve));
  };

  const clipOf = async (mediaId: string) => (await server().store.view((views) => views.findMedia(mediaId)))?.clip;

  /** A refusal that leaves the grant open and counts as a failed try. */
  const expectFailedTry = async (uri: string, response: Response, status: number): Promise<void> => {
    expect(await answerOf(response)).toMatchObject({ status, downloadUrl: '', fileSize: 0, mediaId: '', uri: '' });
    expect(await stateOf(uri)).toMatchObject({ state: 'open', failedTries: 1 });
    expect((await put(uri, 'audio')).status).toBe(201);
  };

  return { issue, put, postForm, stateOf, untilClaimed, clipOf, expectFailedTry };
};
