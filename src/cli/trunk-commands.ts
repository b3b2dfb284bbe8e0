import type { Command } from 'commander';
import type { Trunk } from './api-shapes.ts';
import { onlyGiven, orNone, repeated, wholeNumber, withOperator } from './options.ts';
import type { Output } from './output.ts';
import {
  addResourceCommands,
  createResource,
  type OperatorOptions,
  type Resource,
  updateResource,
} from './resource-commands.ts';
import { inOneCell } from './text.ts';

interface Options extends OperatorOptions {
  readonly id?: string;
  readonly host?: string;
  readonly port?: number;
  readonly transport?: string;
  readonly username?: string;
  readonly password?: string | false;
  readonly callerId?: string;
  readonly allow?: readonly string[];
  readonly maxConcurrentCalls?: number;
  readonly callsPerSecond?: number;
  readonly codec?: readonly string[];
  readonly register?: boolean;
  readonly srtp?: string;
  readonly comedia?: boolean;
  readonly healthCheck?: string;
}

const addressOf = ({ host, port, transport }: Trunk): string =>
  `${host.includes(':') ? `[${host}]` : host}${port === null ? '' : `:${port}`}/${transport}`;

const stateOf = ({ state, stateReason, degraded }: Trunk): string =>
  `${state}${degraded ? ', degraded' : ''}${stateReason ? `: ${stateReason}` : ''}`;

const registrationOf = ({ registration }: Trunk): string => {
  if (!registration) return '-';
  const { state, expiresAt, reason } = registration;
  return `${state}${expiresAt === null ? '' : ` until ${expiresAt}`}${reason === null ? '' : `: ${reason}`}`;
};

const TRUNKS: Resource<Trunk> = {
  path: '/operator/v1/trunks',
  noun: 'trunk',
  plural: 'trunks',
  columns: [
    ['id', (trunk) => trunk.id],
    ['address', addressOf],
    ['state', stateOf],
    ['registration', registrationOf],
    ['allowed', (trunk) => inOneCell(trunk.allowedPrefixes)],
    ['caller id', (trunk) => trunk.callerId ?? '-'],
    ['most calls', (trunk) => String(trunk.maxConcurrentCalls ?? '-')],
    ['calls/s', (trunk) => String(trunk.callsPerSecond ?? '-')],
    ['codecs', (trunk) => inOneCell(trunk.codecs)],
    ['health check', (trunk) => trunk.healthCheck],
  ],
};

const given = (options: Options): Record<string, unknown> =>
  onlyGiven({
    host: options.host,
    port: options.port,
    transport: options.transport,
    username: options.username,
    password: options.password === false ? null : options.password,
    callerId: orNone(options.callerId),
    allowedPrefixes: options.allow,
    maxConcurrentCalls: options.maxConcurrentCalls,
    callsPerSecond: options.callsPerSecond,
    codecs: options.codec,
    register: options.register,
    srtp: options.srtp,
    comedia: options.comedia,
    healthCheck: options.healthCheck,
  });

const withFields = (command: Command): Command =>
  withOperator(command)
    .option(
      '--port <port>',
      'its SIP port (default: what DNS says of its name, else 5060, over TLS 5061)',
      wholeNumber(1, 65_535),
    )
    .option('--transport <name>', 'udp (default), tcp or tls')
    .option('--username <name>', 'user name it asks for')
    .option('--password <password>', 'password it asks for')
    .option('--caller-id <number>', 'number shown to callees, or none')
    .option('--max-concurrent-calls <n>', 'calls it carries at once', wholeNumber(1, 1_000_000))
    .option('--calls-per-second <n>', 'new calls it takes a second', wholeNumber(1, 1_000_000))
    .option('--codec <name>', 'codec to offer, such as PCMU (repeat for more, in order)', repeated)
    .option('--register', 'register there under the user name')
    .option('--no-register', 'do not register there (default)')
    .option('--srtp <policy>', 'encrypt voice: off (default), preferred or required')
    .option('--comedia', 'send voice to where that of its phones comes from, whatever their SDP says')
    .option('--no-comedia', 'send voice to where the SDP says (default)')
    .option('--health-check <kind>', 'options (default) or none');

/** `ringcast trunk`: the SIP peers that carry calls. */
export const addTrunkCommands = (program: Command, output: Output): void => {
  const trunk = program.command('trunk').description('trunks: the SIP peers that carry calls');
  const allow = 'prefix of numbers it may dial, such as +44, or + for all (repeat for more)';
  withFields(trunk.command('create').description('make a trunk'))
    .requiredOption('--host <host>', 'its address or name')
    .requiredOption('--allow <prefix>', allow, repeated)
    .option('--id <id>', 'its id (default: allocated)')
    .action((options: Options) =>
      createResource(output, options, TRUNKS, {
        ...onlyGiven({ id: options.id }),
        ...given(options),
      }),
    );
  withFields(trunk.command('update <id>').description('change what is given, keep the rest'))
    .option('--host <host>', 'its address or name')
    .option('--no-password', 'it asks for none any more')
    .option('--allow <prefix>', `${allow}; replaces all`, repeated)
    .action((id: string, options: Options) => updateResource(output, options, TRUNKS, id, () => given(options)));
  addResourceCommands(trunk, output, TRUNKS);
};
