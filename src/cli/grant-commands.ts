import type { Command } from 'commander';
import type { Grant, Listing } from './api-shapes.ts';
import { operatorApi } from './connection.ts';
import { type Paging, pagingQuery, segment, withOperator, withPaging } from './options.ts';
import { type Output, printListing, printRecord } from './output.ts';
import type { OperatorOptions } from './resource-commands.ts';
import type { Column } from './table.ts';
import { localTime } from './text.ts';

const PATH = '/operator/v1/grants';

const COLUMNS: readonly Column<Grant>[] = [
  ['id', (grant) => grant.id],
  ['media', (grant) => grant.mediaId],
  ['application', (grant) => grant.applicationId],
  ['state', (grant) => grant.state],
  ['issued', (grant) => localTime(grant.issuedAt)],
  ['spent', (grant) => localTime(grant.spentAt)],
  ['from', (grant) => grant.remoteAddress ?? '-'],
  ['failed tries', (grant) => String(grant.failedTries)],
];

const ALL_COLUMNS: readonly Column<Grant>[] = [
  ...COLUMNS,
  ['app key', (grant) => grant.appKeyId],
  ['expires', (grant) => localTime(grant.expiresAt)],
  ['last claimed', (grant) => localTime(grant.claimedAt)],
  ['revoked', (grant) => localTime(grant.revokedAt)],
  ['clip', (grant) => grant.clip?.id ?? '-'],
  ['octets', (grant) => String(grant.clip?.bytes ?? '-')],
  ['sha-256', (grant) => grant.clip?.sha256 ?? '-'],
];

const list = async (output: Output, options: OperatorOptions & Paging & { readonly media?: string }): Promise<void> => {
  const query = new URLSearchParams(pagingQuery(options));
  if (options.media !== undefined) query.set('mediaId', options.media);
  const api = await operatorApi(options);
  const reply = await api.request<Listing<Grant>>({ method: 'GET', path: `${PATH}?${query}` });
  printListing(output, options, reply, COLUMNS);
};

/** `ringcast grant`: what became of upload grants. Their secrets are never shown again. */
export const addGrantCommands = (program: Command, output: Output): void => {
  const grant = program.command('grant').description('grants: what became of them; `media grant` asks for one');
  withPaging(withOperator(grant.command('list').description('list grants, newest first')))
    .option('--media <id>', 'only grants for this media')
    .action((options: OperatorOptions & Paging & { media?: string }) => list(output, options));
  const add = (name: string, description: string, method: string, after: string): void => {
    withOperator(grant.command(`${name} <id>`).description(description)).action(
      async (id: string, options: OperatorOptions) => {
        const request = { method, path: `${PATH}/${segment(id)}${after}` };
        printRecord(output, options, await (await operatorApi(options)).request<Grant>(request), ALL_COLUMNS);
      },
    );
  };
  add('show', 'show one grant, by its id here or its grant id', 'GET', '');
  add('revoke', 'revoke a grant that is not spent', 'POST', '/revoke');
};
