import type { Command } from 'commander';
import { operatorApi } from './connection.ts';
import { orNone, withOperator } from './options.ts';
import { type Output, printRecord } from './output.ts';
import type { OperatorOptions } from './resource-commands.ts';
import type { Column } from './table.ts';

interface Settings {
  readonly defaultGreetingId: string | null;
}

const PATH = '/operator/v1/settings';
const COLUMNS: readonly Column<Settings>[] = [
  ['default greeting', (settings) => settings.defaultGreetingId ?? '- (the built-in one)'],
];

/** `ringcast settings`: what holds for the whole server. */
export const addSettingsCommands = (program: Command, output: Output): void => {
  const settings = program.command('settings').description('settings of the whole server');
  withOperator(settings.command('show').description('show them')).action(async (options: OperatorOptions) => {
    const api = await operatorApi(options);
    printRecord(output, options, await api.request<Settings>({ method: 'GET', path: PATH }), COLUMNS);
  });
  withOperator(settings.command('set').description('change them'))
    .requiredOption('--default-greeting <media-id>', 'greeting of blasts that name none, or none')
    .action(async (options: OperatorOptions & { defaultGreeting: string }) => {
      const api = await operatorApi(options);
      const json = { defaultGreetingId: orNone(options.defaultGreeting) };
      printRecord(output, options, await api.request<Settings>({ method: 'PUT', path: PATH, json }), COLUMNS);
    });
};
