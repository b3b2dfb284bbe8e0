import type { Command } from 'commander';
import { UPLOAD_TIMEOUT_MS } from './api-client.ts';
import type { ImportReport, Network } from './api-shapes.ts';
import { operatorApi } from './connection.ts';
import { openFile } from './media-commands.ts';
import { onlyGiven, orNone, repeated, withOperator } from './options.ts';
import { type Output, printDone } from './output.ts';
import {
  addAssociationCommands,
  addResourceCommands,
  createResource,
  type OperatorOptions,
  pathOf,
  type Resource,
  updateResource,
} from './resource-commands.ts';
import { inOneCell, visible } from './text.ts';

interface Options extends OperatorOptions {
  readonly id?: string;
  readonly name?: string;
  readonly destination?: readonly string[];
  readonly trunk?: readonly string[];
  readonly callerId?: string;
  readonly application?: readonly string[];
}

const MOST_SHOWN = 5;

const destinationsText = ({ destinations }: Network): string =>
  destinations.length <= MOST_SHOWN
    ? inOneCell(destinations)
    : `${inOneCell(destinations.slice(0, MOST_SHOWN))} and ${destinations.length - MOST_SHOWN} more`;

const NETWORKS: Resource<Network> = {
  path: '/operator/v1/networks',
  noun: 'network',
  plural: 'networks',
  columns: [
    ['id', (network) => network.id],
    ['name', (network) => network.name],
    ['destinations', destinationsText],
    ['trunks', (network) => inOneCell(network.trunkIds)],
    ['caller id', (network) => network.callerId ?? '-'],
    ['applications', (network) => inOneCell(network.applicationIds)],
  ],
};

const changes = (options: Options): Record<string, unknown> =>
  onlyGiven({
    name: options.name,
    destinations: options.destination,
    trunkIds: options.trunk,
    callerId: orNone(options.callerId),
    applicationIds: options.application,
  });

const withFields = (command: Command): Command =>
  withOperator(command)
    .option('--name <name>', 'what people call it')
    .option('--trunk <id>', 'trunk that carries its calls (repeat for more, tried in this order)', repeated)
    .option('--caller-id <number>', 'number shown to the callee, or none')
    .option('--application <id>', 'application that may call it (repeat for more)', repeated);

/** Tells on standard error what was refused. */
const importFile = async (output: Output, options: OperatorOptions, id: string, path: string): Promise<void> => {
  const file = await openFile(path);
  const api = await operatorApi(options);
  const reply = await api.request<ImportReport>({
    method: 'POST',
    path: `${pathOf(NETWORKS, id)}/destinations`,
    file,
    headers: { 'content-type': path.toLowerCase().endsWith('.json') ? 'application/json' : 'text/csv' },
    timeoutMs: UPLOAD_TIMEOUT_MS,
  });
  const { accepted, duplicates, refusedCount, refused } = reply.value;
  printDone(
    output,
    options,
    reply,
    `${accepted} destinations added, ${duplicates} duplicates, ${refusedCount} refused`,
  );
  if (options.json) return;
  for (const { line, value, reason } of refused) output.err.write(`line ${line}: ${visible(`${value} ${reason}`)}\n`);
  if (refusedCount > refused.length) output.err.write(`and ${refusedCount - refused.length} more\n`);
};

/** `ringcast network`: what a blast can call. */
export const addNetworkCommands = (program: Command, output: Output): void => {
  const network = program.command('network').description('networks: the callable targets of blasts');
  const destination = 'E.164 number or sip: URI (repeat for more)';
  withFields(network.command('create').description('make a network'))
    .option('--destination <address>', destination, repeated, [])
    .option('--id <id>', 'its id (default: allocated)')
    .action((options: Options) =>
      createResource(output, options, NETWORKS, { ...onlyGiven({ id: options.id }), ...changes(options) }),
    );
  withFields(network.command('update <id>').description('change what is given, keep the rest'))
    .option('--destination <address>', `${destination}; replaces all`, repeated)
    .action((id: string, options: Options) => updateResource(output, options, NETWORKS, id, () => changes(options)));
  withOperator(network.command('import <id> <file>').description('add the destinations in a CSV or .json file')).action(
    (id: string, file: string, options: OperatorOptions) => importFile(output, options, id, file),
  );
  addResourceCommands(network, output, NETWORKS);
  addAssociationCommands(network, output, NETWORKS);
};
