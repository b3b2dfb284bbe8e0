import type { Command } from 'commander';
import type { Call, Listing, PublishedEvent } from './api-shapes.ts';
import { operatorApi } from './connection.ts';
import { follow } from './event-commands.ts';
import { type Paging, pagingQuery, withOperator, withPaging } from './options.ts';
import { type Output, printListing } from './output.ts';
import { headline } from './progress.ts';
import type { OperatorOptions } from './resource-commands.ts';
import { type ShowOptions, showCall } from './show-call.ts';
import type { Column } from './table.ts';
import { localTime } from './text.ts';

const COLUMNS: readonly Column<Call>[] = [
  ['call', (call) => call.id],
  ['blast', (call) => call.blastId ?? '-'],
  ['destination', (call) => call.destination],
  ['dialled', (call) => localTime(call.attempts.at(-1)?.dialledAt)],
  ['attempts', (call) => String(call.attempts.length)],
  ['state', headline],
];

const isOfCall = ({ type }: PublishedEvent): boolean => type.startsWith('call.');

/** `ringcast calls`: every call of the server, for its operator. */
export const addCallCommands = (program: Command, output: Output): void => {
  const calls = program.command('calls').description('calls of all applications');
  withPaging(withOperator(calls.command('list', { isDefault: true }).description('list calls, newest first')))
    .option('--follow', 'tell instead what happens to calls, as it happens, until interrupted')
    .action(async (options: OperatorOptions & Paging & { follow?: boolean }) => {
      const api = await operatorApi(options);
      if (options.follow) return follow(output, options, { api, path: '/operator/v1/events', isWanted: isOfCall });
      const path = `/operator/v1/calls${pagingQuery(options)}`;
      printListing(output, options, await api.request<Listing<Call>>({ method: 'GET', path }), COLUMNS);
    });
  withOperator(calls.command('show <id>').description('show one call and its attempts'))
    .option('--ladder', 'draw the SIP messages of its attempts')
    .option('--pcap <file>', 'write them into a file that Wireshark opens; TLS is shown as plain TCP')
    .action(async (id: string, options: OperatorOptions & ShowOptions) =>
      showCall(await operatorApi(options), id, options, output),
    );
};
