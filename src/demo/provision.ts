import { type Api, createApi, UPLOAD_TIMEOUT_MS } from '../cli/api-client.ts';
import type { Application, GrantAnswer, Media, Network, Trunk } from '../cli/api-shapes.ts';
import { Failure } from '../cli/failure.ts';
import { openFile } from '../cli/media-commands.ts';

/** What the demo made, and the clients that made it. */
export interface Provision {
  readonly operator: Api;
  readonly application: Api;
  /** The seed interface, which takes the key in its forms. */
  readonly seed: Api;
  readonly applicationId: string;
  readonly networkId: string;
  readonly appKey: string;
}

export interface Servers {
  readonly publicUrl: string;
  readonly operatorUrl: string;
  readonly phoneUri: string;
  readonly phonePort: number;
}

const NAME = 'demo';

const createApplication = async (operator: Api): Promise<{ id: string; appKey: string }> => {
  const request = { method: 'POST', path: '/operator/v1/applications', json: { name: NAME } };
  const { id, appKey } = (await operator.request<Application>(request)).value;
  if (appKey === undefined) throw new Failure('the server made an application without an app key.');
  return { id, appKey: appKey.secret };
};

/** The phone as a trunk that is not asked for its health: a blast is accepted also while the phone is not running. */
const createTrunk = async (operator: Api, phonePort: number): Promise<string> => {
  const json = { host: '127.0.0.1', port: phonePort, allowedPrefixes: ['+'], healthCheck: 'none' };
  return (await operator.request<Trunk>({ method: 'POST', path: '/operator/v1/trunks', json })).value.id;
};

const createNetwork = async (
  operator: Api,
  applicationId: string,
  { phoneUri, phonePort }: Servers,
): Promise<string> => {
  const trunkIds = [await createTrunk(operator, phonePort)];
  const json = { name: NAME, destinations: [phoneUri], trunkIds, applicationIds: [applicationId] };
  return (await operator.request<Network>({ method: 'POST', path: '/operator/v1/networks', json })).value.id;
};

/** Makes an application with its key, and a network that is the test phone. */
export const provision = async (servers: Servers, operatorToken: string, signal: AbortSignal): Promise<Provision> => {
  const client = (baseUrl: string, bearer: string | null): Api =>
    createApi({ baseUrl, bearer, onUnauthorized: 'the demo got no further', signal });
  const operator = client(servers.operatorUrl, operatorToken);
  const { id, appKey } = await createApplication(operator);
  return {
    operator,
    application: client(servers.publicUrl, appKey),
    seed: client(servers.publicUrl, null),
    applicationId: id,
    networkId: await createNetwork(operator, id, servers),
    appKey,
  };
};

/** Makes a media id, asks for a grant for it and uploads a file through the grant; the media id. */
export const uploadClip = async (made: Provision, name: string, file: string): Promise<string> => {
  const octets = await openFile(file);
  const media = await made.application.request<Media>({ method: 'POST', path: '/api/v1/media', json: { name } });
  const { id } = media.value;
  const grant = await made.seed.request<GrantAnswer>({
    method: 'POST',
    path: `/api/rest/media/${encodeURIComponent(id)}`,
    form: { action: 'upload_grant', appkey: made.appKey },
  });
  const path = grant.value.UploadResponse.uri;
  await made.seed.request({ method: 'PUT', path, file: octets, timeoutMs: UPLOAD_TIMEOUT_MS });
  return id;
};
