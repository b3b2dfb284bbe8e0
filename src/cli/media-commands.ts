import { openAsBlob } from 'node:fs';
import { stat, writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { UPLOAD_TIMEOUT_MS } from './api-client.ts';
import type { GrantAnswer, Media } from './api-shapes.ts';
import { appKey, applicationApi, grantUrl, operatorApi, type ServerOptions, seedApi } from './connection.ts';
import { Failure, sentenceOf } from './failure.ts';
import { onlyGiven, repeated, segment, withAppKey, withOperator } from './options.ts';
import { type Output, type PrintOptions, printDone, printJson, printLines } from './output.ts';
import { playClip } from './play-clip.ts';
import {
  addAssociationCommands,
  addResourceCommands,
  createResource,
  type OperatorOptions,
  pathOf,
  type Resource,
} from './resource-commands.ts';
import { curlUpload, shellWord } from './shell.ts';
import { linesOfClips } from './show-media.ts';
import { inOneCell, inSeconds, visible } from './text.ts';
import { createUploadBar } from './upload-bar.ts';
import { uploadByGrant } from './upload-by-grant.ts';
import { uploadMemory } from './upload-memory.ts';

const MEDIA: Resource<Media> = {
  path: '/operator/v1/media',
  noun: 'media',
  plural: 'media',
  columns: [
    ['id', (media) => media.id],
    ['name', (media) => media.name],
    ['clip', ({ clip }) => (clip === null ? 'none yet' : `${inSeconds(clip.durationMs)}, ${clip.type}`)],
    ['applications', (media) => inOneCell(media.applicationIds ?? [])],
  ],
  more: linesOfClips,
};

/** A file to be sent, read as it is sent. Throws a Failure that names it. */
export const openFile = async (path: string): Promise<Blob> => {
  try {
    if ((await stat(path)).isFile()) return await openAsBlob(path);
  } catch {
    // Whatever the reason is, the path is what has to be mended.
  }
  throw new Failure(`${visible(path)} is no file that can be read: is the path right?`);
};

type CreateOptions = OperatorOptions & {
  readonly id?: string;
  readonly name?: string;
  readonly application?: readonly string[];
  readonly level: boolean;
  readonly trim: boolean;
  readonly telephoneBand?: boolean;
};

/** Only what differs from the server's defaults is sent. */
const newMedia = ({ id, name, application, level, trim, telephoneBand }: CreateOptions) => ({
  ...onlyGiven({ id, name }),
  applicationIds: application ?? [],
  ...(level && trim && !telephoneBand ? {} : { processing: { level, trim, telephoneBand: telephoneBand ?? false } }),
});

type UploadOptions = OperatorOptions & { readonly grant?: string };

const upload = (output: Output, args: readonly string[], options: UploadOptions): Promise<void> => {
  const [first = '', second] = args;
  if (options.grant === undefined && args.length === 2) return uploadTo(output, first, second ?? '', options);
  if (options.grant !== undefined && args.length === 1) return uploadThrough(output, options.grant, first, options);
  throw new Failure('give ID FILE, or --grant URI FILE.', 2);
};

const uploadTo = async (output: Output, id: string, file: string, options: OperatorOptions): Promise<void> => {
  const api = await operatorApi(options);
  const path = `${pathOf(MEDIA, id)}/audio`;
  const body = await openFile(file);
  const bar = createUploadBar(output.err);
  const onSent = (sentBytes: number): void => bar.show(sentBytes, body.size);
  const request = { method: 'PUT', path, file: body, timeoutMs: UPLOAD_TIMEOUT_MS, onSent };
  const reply = await api.request(request).finally(bar.end);
  printDone(output, options, reply, `media ${id} now plays ${file}`);
};

const uploadThrough = async (output: Output, uri: string, file: string, options: UploadOptions): Promise<void> => {
  const url = grantUrl(uri, options);
  await openFile(file);
  const memory = await uploadMemory(url, file);
  await uploadByGrant({ url, file, bar: createUploadBar(output.err), memory });
  printDone(output, options, { text: '' }, `${file} is uploaded; the grant is spent`);
};

const audioOf = (id: string, options: ServerOptions): Promise<Uint8Array> =>
  applicationApi(options).download(`/api/v1/media/${segment(id)}/audio`);

const play = async (
  output: Output,
  id: string,
  { out, ...options }: ServerOptions & { out?: string },
): Promise<void> => (out === undefined ? playClip(await audioOf(id, options)) : download(output, id, out, options));

const download = async (output: Output, id: string, file: string, options: ServerOptions): Promise<void> => {
  const octets = await audioOf(id, options);
  try {
    await writeFile(file, octets);
  } catch (error) {
    throw new Failure(`${visible(file)} cannot be written (${sentenceOf(error)}): name another with -o.`);
  }
  printLines(output, [visible(`media ${id} as the phone hears it: ${file}`)]);
};

const grant = async (output: Output, id: string, options: ServerOptions & PrintOptions): Promise<void> => {
  const api = seedApi(options);
  const form = { action: 'upload_grant', appkey: appKey(options) };
  const reply = await api.request<GrantAnswer>({ method: 'POST', path: `/api/rest/media/${segment(id)}`, form });
  if (options.json) return printJson(output, reply.text);
  const { grantId, uri } = reply.value.UploadResponse;
  printLines(output, [
    visible(`grant ${grantId} for media ${id}: one upload within its time, with`),
    visible(curlUpload(api.baseUrl + uri, 'FILE')),
    'or, over a bad line, with',
    visible(`ringcast media upload --grant ${shellWord(api.baseUrl + uri)} FILE`),
  ]);
};

/** `ringcast media`: media ids and their clips. */
export const addMediaCommands = (program: Command, output: Output): void => {
  const media = program.command('media').description('media: the ids that clips are played by');
  withOperator(media.command('create').description('make a media id, empty until a clip is uploaded'))
    .option('--name <name>', 'what people call it')
    .option('--id <id>', 'its id (default: allocated)')
    .option('--application <id>', 'application that may play it and upload to it (repeat for more)', repeated)
    .option('--no-level', 'leave its clips as loud as they are (default: brought to -20 LUFS)')
    .option('--no-trim', 'keep leading and trailing silence (default: cut off beyond 300 ms)')
    .option('--telephone-band', 'keep nothing of its clips below 300 and above 3,400 Hz')
    .action((options: CreateOptions) => createResource(output, options, MEDIA, newMedia(options)));
  addResourceCommands(media, output, MEDIA);
  addAssociationCommands(media, output, MEDIA);
  withOperator(media.command('upload <args...>'))
    .usage('[options] <id> <file>\n       ringcast media upload --grant <uri> <file>')
    .description('give a media id its clip; with --grant through an upload grant, going on after a cut')
    .option('--grant <uri>', 'upload through this grant, without any key or token')
    .option(
      '--url <url>',
      'where a grant that begins with / is (default: RINGCAST_PUBLIC_URL, else http://127.0.0.1:8080)',
    )
    .action((args: readonly string[], options: UploadOptions) => upload(output, args, options));
  withAppKey(media.command('audio <id>').description('fetch the clip as WAV, as the phone hears it'))
    .requiredOption('-o, --output <file>', 'file to write')
    .action((id: string, options: ServerOptions & { output: string }) => download(output, id, options.output, options));
  withAppKey(media.command('play <id>').description('play the clip here, as the phone hears it'))
    .option('--out <file>', 'write it to a WAV file instead')
    .action((id: string, options: ServerOptions & { out?: string }) => play(output, id, options));
  withAppKey(media.command('grant <id>').description('ask for an upload grant and show how to use it')).action(
    (id: string, options: ServerOptions & PrintOptions) => grant(output, id, options),
  );
};
