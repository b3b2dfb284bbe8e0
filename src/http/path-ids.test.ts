import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DIALECTS } from '../../test/support/dialects.ts';
import { type HttpFixture, KEY, OPERATOR_TOKEN, startHttp } from '../../test/support/http-fixture.ts';

for (const dialect of DIALECTS)
  describe(`a NUL character on ${dialect.name}`, () => {
    let http: HttpFixture;
    beforeAll(async () => {
      http = await startHttp({ store: (await dialect.open()).store });
    });
    afterAll(() => http.close());

    const ask = async (method: string, path: string, body: unknown = undefined): Promise<number> => {
      const isOperator = path.startsWith('/operator');
      const response = await fetch(`${isOperator ? http.operatorUrl : http.publicUrl}${path}`, {
        method,
        headers: {
          authorization: `Bearer ${isOperator ? OPERATOR_TOKEN : KEY}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      await response.arrayBuffer();
      return response.status;
    };

    it.each([
      ['GET', '/operator/v1/applications/a%00'],
      ['DELETE', '/operator/v1/applications/1/keys/a%00'],
      ['GET', '/operator/v1/networks/a%00'],
      ['DELETE', '/operator/v1/networks/a%00'],
      ['PUT', '/operator/v1/networks/1/applications/a%00'],
      ['GET', '/operator/v1/trunks/%00'],
      ['GET', '/operator/v1/media/101%00'],
      ['GET', '/operator/v1/blasts/%00'],
      ['GET', '/operator/v1/calls/a%00/messages'],
      ['GET', '/api/v1/blasts/a%00'],
      ['GET', '/api/v1/media/101%00'],
      ['GET', '/api/v1/webhooks/a%00'],
      ['GET', '/api/v1/grants/a%00'],
    ])('in the path of %s %s finds nothing', async (method, path) => {
      expect(await ask(method, path)).toBe(404);
    });

    it('in the ids of a body is refused', async () => {
      const wrong = { destinations: ['sip:a@x'], applicationIds: ['a\0'] };
      expect(await ask('POST', '/operator/v1/networks', wrong)).toBe(422);
      const trunkless = { destinations: ['sip:a@x'], trunkIds: ['a\0'] };
      expect(await ask('POST', '/operator/v1/networks', trunkless)).toBe(422);
    });

    it('is told to nobody who has no key', async () => {
      expect((await fetch(`${http.operatorUrl}/operator/v1/networks/a%00`)).status).toBe(401);
      expect((await fetch(`${http.publicUrl}/api/v1/blasts/a%00`)).status).toBe(401);
    });
  });
