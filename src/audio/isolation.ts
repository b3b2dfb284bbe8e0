/** Apart from the rest of the machine: no network, no other processes to see or signal, nobody's rights. */
export interface Isolation {
  /** For people. */
  readonly description: string;
  readonly hasNetwork: boolean;
  /** What a command line is put behind. */
  readonly command: readonly string[];
  /** Whether the program runs as a user that owns nothing, and cannot reopen what is for this user only. */
  readonly isStranger: boolean;
  /** Processes and threads that can be had at once, `unlimited` where others would be counted too. */
  readonly maxProcesses: number | 'unlimited';
}

export const NO_ISOLATION: Isolation = {
  description: 'in a process group of its own',
  hasNetwork: true,
  command: [],
  isStranger: false,
  maxProcesses: 'unlimited',
};

/** In no table of users: nobody's other processes are counted with the decoder's, or may touch them. */
const STRANGER = ['--reuid', '65533', '--regid', '65533', '--clear-groups'];
const MAX_PROCESSES = 256;

/** Dies with this server, however that ends (prctl(2), PR_SET_PDEATHSIG). A change of user forgets it: asked again. */
const DYING_TOGETHER = ['setpriv', '--pdeathsig', 'KILL'];
const WITHOUT_PRIVILEGES = [...DYING_TOGETHER, '--no-new-privs'];

/** Namespaces (namespaces(7)) whose network has not even loopback up, and whose end is the end of all in them. */
const APART = ['unshare', '--net', '--ipc', '--pid', '--fork', '--kill-child'];

const asRoot: readonly Isolation[] = [
  {
    description: 'without network, as user 65533',
    hasNetwork: false,
    command: [...DYING_TOGETHER, ...APART, ...WITHOUT_PRIVILEGES, ...STRANGER],
    isStranger: true,
    maxProcesses: MAX_PROCESSES,
  },
  {
    description: 'without network, as this user',
    hasNetwork: false,
    command: [...DYING_TOGETHER, ...APART, ...WITHOUT_PRIVILEGES, '--bounding-set=-all', '--inh-caps=-all'],
    isStranger: false,
    maxProcesses: 'unlimited',
  },
  {
    description: 'as user 65533',
    hasNetwork: true,
    command: [...WITHOUT_PRIVILEGES, ...STRANGER],
    isStranger: true,
    maxProcesses: MAX_PROCESSES,
  },
];

/** In a user namespace, which anybody may make on most systems, only its own processes are counted. */
const asUser: readonly Isolation[] = [
  {
    description: 'without network',
    hasNetwork: false,
    command: [...DYING_TOGETHER, ...APART, '--map-current-user', ...WITHOUT_PRIVILEGES],
    isStranger: false,
    maxProcesses: MAX_PROCESSES,
  },
];

const LAST: Isolation = {
  ...NO_ISOLATION,
  description: 'without new privileges',
  command: WITHOUT_PRIVILEGES,
};

/** What may work here, the strictest first; util-linux has the programs, nearly every Linux has util-linux. */
export const isolationsFor = (platform: NodeJS.Platform, isRoot: boolean): readonly Isolation[] =>
  platform === 'linux' ? [...(isRoot ? asRoot : asUser), LAST, NO_ISOLATION] : [NO_ISOLATION];

/** What may work for this process. */
export const isolationsHere = (): readonly Isolation[] => isolationsFor(process.platform, process.getuid?.() === 0);

/** The strictest isolation under which `works`; null if it does under none. */
export const findIsolation = async (
  isolations: readonly Isolation[],
  works: (isolation: Isolation) => Promise<boolean>,
): Promise<Isolation | null> => {
  for (const isolation of isolations) if (await works(isolation)) return isolation;
  return null;
};
