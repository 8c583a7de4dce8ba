import path from 'node:path';
import { errorOf } from '../../scripts/lib/system-error.ts';
import { isRemote } from '../data/open-dist.ts';
import { isRedisAddress } from '../store/store.ts';
import { type Check, error, messageOf, notSet, type Setup, warning } from './check.ts';

const MIN_NODE = [20, 19] as const;
/** Below this, a few hundred clients use up all connections. */
const MIN_OPEN_FILES = 4096;
const MB = 1024 * 1024;
const MIN_FREE_BYTES = 512 * MB;
/** A password in an address. */
const PASSWORD = /:\/\/[^/\s]*:[^/\s@]+@/;

export const runtimeCheck: Check = {
  name: 'node',
  description: 'Node.js is recent enough',
  find({ machine: { nodeVersion } }) {
    const [major = 0, minor = 0] = nodeVersion.split('.').map(Number);
    if (major > MIN_NODE[0] || (major === MIN_NODE[0] && minor >= MIN_NODE[1])) return [];
    return [error(`Node.js is ${nodeVersion}`, `install Node.js ${MIN_NODE.join('.')} or later`)];
  },
};

export const limitsCheck: Check = {
  name: 'limits',
  description:
    'enough files and connections can be open, and no more processes are started than there are cores',
  find({ machine: { maxOpenFiles, cores }, settings: { workers } }) {
    const few = maxOpenFiles !== undefined && maxOpenFiles < MIN_OPEN_FILES;
    return [
      ...(maxOpenFiles === undefined
        ? [notSet('how many files can be open is not known on this system', 'see what ulimit -n reports')]
        : []),
      ...(few
        ? [
            warning(
              `a process may have only ${maxOpenFiles} files and connections open`,
              'raise the limit: LimitNOFILE=65536 in a systemd unit, ulimit -n 65536 in a shell',
            ),
          ]
        : []),
      ...(workers > cores
        ? [warning(`--workers is ${workers} on ${cores} cores`, `start at most ${cores} workers`)]
        : []),
    ];
  },
};

export const permissionsCheck: Check = {
  name: 'permissions',
  description: 'the gateway does not run as root, and no password is on the command line',
  find({ machine: { uid, words } }) {
    const secret = words.find((word) => PASSWORD.test(word) || word.startsWith('--link-secret'));
    return [
      ...(uid === 0
        ? [
            warning(
              'it runs as root',
              'run it as a separate user that owns the folders of --store and --cache',
            ),
          ]
        : []),
      ...(secret !== undefined
        ? [
            warning(
              'a secret is on the command line, where all users of this machine can read it',
              'set it in the environment: GATEWAY_STORE, GATEWAY_DIST or GATEWAY_LINK_SECRET',
            ),
          ]
        : []),
    ];
  },
};

export const diskCheck: Check = {
  name: 'disk',
  description: 'the folders that the gateway writes to can be written, and their disks have space',
  async find({ settings, machine }) {
    const folders = [
      ...writtenFolders(settings),
      ['the temporary folder (TMPDIR)', machine.temporaryFolder] as const,
    ];
    const problems = await Promise.all(
      folders.map(async ([name, folder]) => {
        try {
          await machine.tryWriting(folder);
        } catch (thrown) {
          const advice = 'let the user of the gateway own it, or name another folder';
          return [error(`${name}, ${folder}, cannot be written: ${messageOf(thrown)}`, advice)];
        }
        const free = await machine.freeBytes(folder);
        if (free === undefined)
          return [notSet(`the space on the disk of ${name} is not known`, 'see what df reports')];
        if (free >= MIN_FREE_BYTES) return [];
        const space = `${Math.floor(free / MB)} MB`;
        return [
          warning(
            `the disk of ${name}, ${folder}, has only ${space} left`,
            'make space, or name another folder',
          ),
        ];
      }),
    );
    return problems.flat();
  },
};

function writtenFolders({ store, dist, cache }: Setup['settings']): (readonly [string, string])[] {
  return [
    ...(isRedisAddress(store) ? [] : [['the store', path.resolve(store)] as const]),
    ...(isRemote(dist) ? [['the folder of --cache', path.resolve(cache)] as const] : []),
  ];
}

export const readersCheck: Check = {
  name: 'readers',
  description: 'no other users of this machine can read data that is not released yet',
  async find({ settings: { dist, cache }, machine }) {
    const folder = path.resolve(isRemote(dist) ? cache : dist);
    if (!(await machine.canOthersRead(folder))) return [];
    return [
      warning(
        `all users of this machine can read ${folder}, which can hold builds that are not released yet`,
        `let only its owner and its group in: chmod -R o-rwx ${folder}`,
      ),
    ];
  },
};

export const portsCheck: Check = {
  name: 'ports',
  description: 'the gateway can listen on its ports',
  async find({ settings: { port, host, metricsPort, metricsHost }, machine }) {
    if (port !== 0 && port === metricsPort && host === metricsHost)
      return [
        error(
          `--port and --metrics-port are both ${port} of ${host}`,
          'set another port with --metrics-port',
        ),
      ];
    const ports = [
      ['--port', port, host] as const,
      ...(metricsPort === undefined ? [] : [['--metrics-port', metricsPort, metricsHost] as const]),
    ];
    const problems = await Promise.all(
      ports.map(async ([option, number, address]) => {
        try {
          await machine.tryListening(number, address);
          return [];
        } catch (thrown) {
          const { code } = errorOf(thrown);
          const problem = `port ${number} of ${address} cannot be used: ${messageOf(thrown)}`;
          return code === 'EADDRINUSE'
            ? [
                warning(
                  problem,
                  `ignore this if the gateway is running already; otherwise stop the other program, or set ${option}`,
                ),
              ]
            : [error(problem, `set ${option}${option === '--port' ? ' or --host' : ' or --metrics-host'}`)];
        }
      }),
    );
    return problems.flat();
  },
};
