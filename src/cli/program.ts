import { Command, CommanderError } from 'commander';
import { addAppCommands } from './app-commands.ts';
import { addBlastCommands } from './blast-commands.ts';
import { addCallCommands } from './call-commands.ts';
import { addDoctorCommand } from './doctor.ts';
import { addEventCommands } from './event-commands.ts';
import { Failure } from './failure.ts';
import { addGrantCommands } from './grant-commands.ts';
import type { Launch } from './launch.ts';
import { addMediaCommands } from './media-commands.ts';
import { addNetworkCommands } from './network-commands.ts';
import type { Output } from './output.ts';
import { addProcessCommands } from './process-commands.ts';
import { addSettingsCommands } from './settings-commands.ts';
import { addTrunkCommands } from './trunk-commands.ts';
import { addWebhookCommands } from './webhook-commands.ts';

const buildProgram = (launch: Launch, output: Output): Command => {
  const program = new Command('ringcast');
  // Before the subcommands are made: they inherit all three. Positional, so that what follows `blast show` is the
  // subcommand's, though `blast` has options of the same names.
  program
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => output.out.write(text),
      writeErr: (text) => output.err.write(text),
    });
  program.description('Self-hosted voice broadcast: one HTTP request rings a phone and plays recorded clips.');
  addProcessCommands(program, launch, output);
  addAppCommands(program, output);
  addNetworkCommands(program, output);
  addMediaCommands(program, output);
  addGrantCommands(program, output);
  addTrunkCommands(program, output);
  addBlastCommands(program, output);
  addCallCommands(program, output);
  addEventCommands(program, output);
  addWebhookCommands(program, output);
  addSettingsCommands(program, output);
  addDoctorCommand(program, output, launch.settings, launch.callItself);
  return program;
};

/** Help that was asked for is a thing done; anything else that commander ends with is wrong usage. */
const statusOfCommander = (error: CommanderError): number => (error.exitCode === 0 ? 0 : 2);

/**
 * Runs one command line; the exit status: 0 done, 1 failed, 2 wrong usage. Never throws: an error is one sentence
 * on `output.err`.
 */
export const runProgram = async (args: readonly string[], launch: Launch, output: Output): Promise<number> => {
  try {
    await buildProgram(launch, output).parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    // Commander has written its own sentence already.
    if (error instanceof CommanderError) return statusOfCommander(error);
    output.err.write(`ringcast: ${error instanceof Error ? error.message : String(error)}\n`);
    return error instanceof Failure ? error.exitStatus : 1;
  }
};
