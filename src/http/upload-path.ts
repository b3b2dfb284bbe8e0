import type { FastifyRequest } from 'fastify';
import type { GrantClaim } from '../app/claim-grant.ts';

/** The `uri` of a grant. */
export const UPLOAD_PATH = '/api/rest/media/:mediaid/:token';

export interface UploadRoute {
  Params: { mediaid: string; token: string };
  Querystring: { grantid?: string | string[] };
}

/** What a request shows before its body: the token, and grant ids in the query and in the header. */
export const claimOf = ({ params, query, headers, ip }: FastifyRequest<UploadRoute>): GrantClaim => ({
  mediaId: params.mediaid,
  token: params.token,
  grantIds: [query.grantid ?? [], headers['upload-grant'] ?? []].flat(),
  remoteAddress: ip.replace(/^::ffff:/, ''),
});
