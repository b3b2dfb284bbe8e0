import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HttpFixture, startHttp } from '../../test/support/http-fixture.ts';

let http: HttpFixture;
beforeAll(async () => {
  http = await startHttp({ publicUrl: 'https://voice.example/x' });
});
afterAll(() => http.close());

/** What the page loads, as a browser would resolve it. */
const assetsOf = (html: string, page: string): readonly string[] =>
  [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, reference]) => new URL(reference ?? '', page).href);

describe.each(['/docs', '/docs/', '/x/docs', '/x/docs/'])('C %s', (path) => {
  it('is a page for people whose scripts and styles are there', async () => {
    const page = await fetch(http.publicUrl + path);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const assets = assetsOf(await page.text(), page.url);
    expect(assets.some((url) => url.endsWith('swagger-ui-bundle.js'))).toBe(true);
    for (const url of assets) {
      const asset = await fetch(url);
      expect([url, asset.status, (await asset.bytes()).length > 0]).toEqual([url, 200, true]);
    }
  });

  it('shows the description of /openapi.json, whose server is the public URL', async () => {
    const shown = await (await fetch(`${http.publicUrl}${path.replace(/\/$/, '')}/json`)).json();
    expect(shown).toEqual(await (await fetch(`${http.publicUrl}/openapi.json`)).json());
    expect(shown).toMatchObject({ servers: [{ url: 'https://voice.example/x' }] });
  });
});
