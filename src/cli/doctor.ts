import type { Command } from 'commander';
import type { Listing, Trunk } from './api-shapes.ts';
import { type Check, ok, problem, skipped } from './check.ts';
import { checkDataDirectory, checkFfmpeg, checkNode } from './check-machine.ts';
import { besidePort, checkPorts, type PortOrder } from './check-ports.ts';
import { checkTls, type TlsPaths } from './check-tls.ts';
import { dataDirectory, operatorApi, type ServerOptions } from './connection.ts';
import { Failure, sentenceOf } from './failure.ts';
import type { CallItself, Setting } from './launch.ts';
import { withOperator } from './options.ts';
import { type Output, type PrintOptions, printJson, printLines } from './output.ts';
import { visible } from './text.ts';

const settingOf = (settings: readonly Setting[], variable: string): string => {
  const given = process.env[variable]?.trim();
  return given || (settings.find((setting) => setting.variable === variable)?.default ?? '');
};

const tlsPaths = (settings: readonly Setting[]): TlsPaths => ({
  certificate: settingOf(settings, 'RINGCAST_SIP_TLS_CERT'),
  key: settingOf(settings, 'RINGCAST_SIP_TLS_KEY'),
  authorities: settingOf(settings, 'RINGCAST_SIP_TLS_CA'),
});

/** Nobody listens for SIP over TLS without a certificate to show. */
const tlsOrders = (settings: readonly Setting[]): readonly PortOrder[] => {
  if (tlsPaths(settings).certificate === '') return [];
  const sip = order(settings, 'sip port of TLS', 'RINGCAST_SIP_LISTEN', 'tcp');
  return [{ ...sip, value: besidePort(sip.value) }];
};

const ports = (settings: readonly Setting[]): Promise<Check[]> =>
  checkPorts([
    order(settings, 'public port', 'RINGCAST_PUBLIC_LISTEN', 'tcp'),
    order(settings, 'operator port', 'RINGCAST_OPERATOR_LISTEN', 'tcp'),
    order(settings, 'sip port', 'RINGCAST_SIP_LISTEN', 'udp'),
    order(settings, 'sip port of TCP', 'RINGCAST_SIP_LISTEN', 'tcp'),
    ...tlsOrders(settings),
  ]);

const order = (
  settings: readonly Setting[],
  name: string,
  variable: string,
  protocol: PortOrder['protocol'],
): PortOrder => ({
  name,
  variable,
  value: settingOf(settings, variable),
  protocol,
});

const fixOf = (stateReason: string): string => {
  if (/user name or password/.test(stateReason)) return 'give it the right --username and --password';
  return /certificate/.test(stateReason)
    ? 'its --host must be what its certificate names, and RINGCAST_SIP_TLS_CA hold its authority'
    : 'ask whoever runs it what is wrong there';
};

const trunkCheck = (trunk: Trunk): Check => {
  const name = `trunk ${trunk.id}`;
  const address = trunk.port === null ? trunk.host : `${trunk.host}:${trunk.port}`;
  if (trunk.state !== 'down' && !trunk.degraded) return ok(name, `${address} is ${trunk.state}`);
  if (trunk.stateReason) return problem(name, trunk.stateReason, fixOf(trunk.stateReason));
  const fix = 'is its address right, and does it answer OPTIONS from here? If it never does, use --health-check none';
  return problem(name, `${address} does not answer`, fix);
};

const checkTrunks = async (options: ServerOptions): Promise<Check[]> => {
  try {
    const api = await operatorApi(options);
    const reply = await api.request<Listing<Trunk>>({ method: 'GET', path: '/operator/v1/trunks?limit=100' });
    const trunks = reply.value.items;
    return trunks.length === 0 ? [ok('trunks', 'none configured')] : trunks.map(trunkCheck);
  } catch (error) {
    // Without a server to ask there is nothing wrong with the trunks that could be told.
    return [skipped('trunks', `not asked: ${sentenceOf(error)}`)];
  }
};

const checkCall = async (callItself: CallItself): Promise<Check> => {
  try {
    return ok('a call to itself', await callItself());
  } catch (error) {
    return problem(
      'a call to itself',
      sentenceOf(error).replaceAll(/\s+/g, ' '),
      'mend the problems above, or run `ringcast demo` to see more',
    );
  }
};

/** A check as one line. */
export const checkLine = (check: Check): string =>
  visible(
    `${check.state.padEnd(7)}  ${check.name}: ${check.detail}${check.fix === undefined ? '' : `. Fix: ${check.fix}`}`,
  );

const isProblem = (check: Check): boolean => check.state === 'problem';

/** `ringcast doctor`: looks at everything a call needs, one line for each. Exit status 1 if there is a problem. */
export const addDoctorCommand = (
  program: Command,
  output: Output,
  settings: readonly Setting[],
  callItself: CallItself,
): void => {
  const doctor = program.command('doctor').description('check what calls need, down to a call whose audio is compared');
  withOperator(doctor).action(async (options: ServerOptions & PrintOptions) => {
    const checks: Check[] = [];
    const report = (...found: Check[]): void => {
      checks.push(...found);
      if (!options.json) printLines(output, found.map(checkLine));
    };
    report(checkNode(process.versions.node), await checkDataDirectory(dataDirectory(options)));
    report(...(await ports(settings)), ...(await checkTls(tlsPaths(settings), Date.now())));
    report(await checkFfmpeg());
    report(...(await checkTrunks(options)));
    report(await checkCall(callItself));
    if (options.json) printJson(output, JSON.stringify({ checks }));
    const problems = checks.filter(isProblem).length;
    if (problems > 0) throw new Failure(`${problems} of ${checks.length} checks found a problem.`);
  });
};
