import { isIP } from 'node:net';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { dataDirectory, type ServerOptions } from './connection.ts';
import { Failure } from './failure.ts';
import type { Launch, PhoneBehaviour, PhoneOptions } from './launch.ts';
import { seconds } from './options.ts';
import { type Output, printLines } from './output.ts';

const addServe = (program: Command, launch: Launch): void => {
  const serve = program.command('serve').description('run the server until it is told to stop');
  const options = launch.settings.map(({ flag, variable, description, default: fallback }) => {
    const defaults = fallback === null ? '' : `, default ${fallback}`;
    return new Option(`${flag} <value>`, `${description} (${variable}${defaults})`);
  });
  for (const option of options) serve.addOption(option);
  serve.action((given: Record<string, string | undefined>) =>
    launch.serve(
      Object.fromEntries(
        options.flatMap((option) => {
          const value = given[option.attributeName()];
          return value === undefined ? [] : [[option.long ?? '', value]];
        }),
      ),
    ),
  );
};

/** Reads `ADDRESS:PORT`, IPv6 addresses in brackets. */
export const listenAddress = (text: string): PhoneOptions['listen'] => {
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:[\]]+)):([0-9]{1,5})$/.exec(text) ?? [];
  const address = bracketed ?? plain;
  if (address !== undefined && isIP(address) !== 0 && Number(port) <= 65_535) return { address, port: Number(port) };
  throw new InvalidArgumentError('Expected ADDRESS:PORT, such as 127.0.0.1:5070 (port 0 for any free one).');
};

/** Reads what the test phone shall do. */
export const phoneBehaviour = (text: string): PhoneBehaviour => {
  const plain = (['answer', 'busy', 'ring', 'decline'] as const).find((name) => name === text);
  if (plain) return plain;
  const [, after] = /^hang-up-after=(.+)$/.exec(text) ?? [];
  if (after !== undefined) return { hangUpAfterMs: Math.round(seconds(after) * 1000) };
  throw new InvalidArgumentError('Expected answer, busy, ring, decline or hang-up-after=SECONDS.');
};

const USUAL_PHONE = '127.0.0.1:5070';

interface PhoneFlags {
  readonly listen: PhoneOptions['listen'];
  readonly record?: string;
  readonly answerAfter: number;
  readonly behaviour: PhoneBehaviour;
  readonly transport: PhoneOptions['transport'];
  readonly tlsCert?: string;
  readonly tlsKey?: string;
}

const certificateOf = ({ transport, tlsCert, tlsKey }: PhoneFlags): PhoneOptions['certificate'] => {
  if (tlsCert !== undefined && tlsKey !== undefined) return { certificatePath: tlsCert, keyPath: tlsKey };
  if (tlsCert === undefined && tlsKey === undefined && transport !== 'tls') return null;
  throw new Failure('TLS needs both --tls-cert FILE and --tls-key FILE.', 2);
};

const addPhone = (program: Command, launch: Launch): void => {
  program
    .command('phone')
    .description('run a test phone: it answers calls and can record them')
    .addOption(
      new Option('--listen <address:port>', 'where it takes calls')
        .argParser(listenAddress)
        .default(listenAddress(USUAL_PHONE), USUAL_PHONE),
    )
    .option('--record <dir>', 'folder for a WAV file of each call')
    .option('--answer-after <seconds>', 'how long it rings first', seconds, 1)
    .addOption(
      new Option('--behaviour <what>', 'answer, busy, ring, decline or hang-up-after=SECONDS')
        .argParser(phoneBehaviour)
        .default(phoneBehaviour('answer'), 'answer'),
    )
    .addOption(
      new Option('--transport <name>', 'what it says to be called by; it listens to udp and tcp in any case')
        .choices(['udp', 'tcp', 'tls'])
        .default('udp'),
    )
    .option('--tls-cert <file>', 'PEM file of its certificate, for TLS on the next port')
    .option('--tls-key <file>', 'PEM file of the private key')
    .action((flags: PhoneFlags) =>
      launch.phone({
        transport: flags.transport,
        certificate: certificateOf(flags),
        listen: flags.listen,
        recordDirectory: flags.record ?? null,
        answerAfterMs: Math.round(flags.answerAfter * 1000),
        behaviour: flags.behaviour,
      }),
    );
};

const addDemo = (program: Command, launch: Launch): void => {
  program
    .command('demo [files...]')
    .description('ring a test phone, play FILEs (or two samples) to it, and compare what it heard with what was sent')
    .option('--stay', 'then keep server and phone running')
    .option('--data-dir <dir>', 'data directory to use (default: RINGCAST_DATA_DIR, else ./data)')
    .action((files: string[], options: ServerOptions & { stay?: boolean }) =>
      launch.demo({ files, stay: options.stay ?? false, dataDirectory: dataDirectory(options) }),
    );
};

const addBackup = (program: Command, launch: Launch, output: Output): void => {
  program
    .command('backup <folder>')
    .description('copy database, secret and operator token into a new folder, while the server runs (SQLite)')
    .option('--data-dir <dir>', "the server's data directory (default: RINGCAST_DATA_DIR, else ./data)")
    .action(async (folder: string, options: ServerOptions) => {
      await launch.backUp(folder, dataDirectory(options));
      printLines(output, [`backed up into ${folder}: to restore, start with it as data directory`]);
    });
};

/** `serve`, `phone`, `demo` and `backup`: the commands that do something here rather than ask a server. */
export const addProcessCommands = (program: Command, launch: Launch, output: Output): void => {
  addServe(program, launch);
  addDemo(program, launch);
  addPhone(program, launch);
  addBackup(program, launch, output);
};
