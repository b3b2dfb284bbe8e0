const PLAIN_WORD = /^[A-Za-z0-9_./:=@%+,-]+$/;

/** `text` as one word of a POSIX shell, quoted only if it must be. */
export const shellWord = (text: string): string =>
  PLAIN_WORD.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

const field = (name: string, value: string): string =>
  // `--data-urlencode` leaves nothing to a special meaning of curl (`@`) or of forms (`+`, `&`, `%`).
  /^[A-Za-z0-9_.-]*$/.test(value) ? `-d ${name}=${value}` : `--data-urlencode ${shellWord(`${name}=${value}`)}`;

const formCommand = (url: string, fields: Readonly<Record<string, string>>): string =>
  ['curl -sS', ...Object.entries(fields).map(([name, value]) => field(name, value)), shellWord(url)].join(' ');

/** Where the seed interface takes a request for one media id or a list joined by hyphens. */
export const mediaUrl = (baseUrl: string, mediaIds: readonly string[]): string =>
  `${baseUrl}/api/rest/media/${mediaIds.map(encodeURIComponent).join('-')}`;

export interface BlastOfCurl {
  readonly baseUrl: string;
  readonly mediaIds: readonly string[];
  readonly networkId: string;
  readonly appKey: string;
}

/** The curl line that asks for a blast. */
export const curlBlast = (blast: BlastOfCurl): string =>
  formCommand(mediaUrl(blast.baseUrl, blast.mediaIds), {
    action: 'blast',
    networkid: blast.networkId,
    appkey: blast.appKey,
  });

/** The curl line that asks for an upload grant. */
export const curlGrant = (baseUrl: string, mediaId: string, appKey: string): string =>
  formCommand(mediaUrl(baseUrl, [mediaId]), { action: 'upload_grant', appkey: appKey });

/** The curl line that reads something of the application API. */
export const curlGet = (url: string, appKey: string): string =>
  `curl -sS -H ${shellWord(`Authorization: Bearer ${appKey}`)} ${shellWord(url)}`;

/** The curl line that uploads `file` to the URI of a grant. */
export const curlUpload = (url: string, file: string): string => `curl -sS -T ${shellWord(file)} ${shellWord(url)}`;
