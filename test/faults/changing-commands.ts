import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { CommandName, Ended } from '../support/command.ts';
import { type DiskFault, FaultyMachine } from '../support/faulty-machine.ts';
import { gameFiles, inFolder, writeFiles } from '../support/fixtures.ts';
import { BUILD } from '../support/paths.ts';
import { findFaults } from './find-faults.ts';

/** How a command ended; `signal` is null if it exited. */
export type CommandEnd = Pick<Ended, 'code' | 'signal' | 'stdout' | 'stderr'>;

/** Runs a command in a folder, on a faulty machine. */
export type RunCommand = (name: CommandName, args: readonly string[], cwd: string) => Promise<CommandEnd>;

/** A command that changes something: its arguments, given a number that no run had before. */
export interface Change {
  name: CommandName;
  args(run: number): readonly string[];
}

const ADA = 'ada@example.org';
const SIZE = 300;
/** What the commands say about the disk. SQLite and LMDB have messages of their own. */
const CLEAR =
  /no space left|disk is full|database or disk is full|read-only|readonly|i\/o error|input\/output error|unable to open/i;

/** The records of a build. */
function records(version: number) {
  return Array.from({ length: SIZE }, (_, id) => ({
    id: `u${id}`,
    name: `Unit ${id}`,
    stats: { atk: id + (id % 20 === version % 20 ? version : 0) },
  }));
}

const EXPORT =
  'Name,Email,Patron Status,Tier,Charge Frequency,Last Charge Date,Last Charge Status,Next Charge Date,User ID\n' +
  'Ada,ada@example.org,Active patron,Pro,Monthly,2030-06-01 00:00:00,Paid,2030-07-01 00:00:00,1\n';
const BOB = 'Bob,bob@example.org,Active patron,Pro,Monthly,2030-06-01 00:00:00,Paid,2030-07-01 00:00:00,2\n';

/** A folder on a disk that can fail, with a store and games, and the commands that change them. */
export class ChangingWorld {
  readonly machine: FaultyMachine;
  /** The folder that is on the disk, and the working directory of commands. */
  readonly disk: string;
  readonly #root: string;
  readonly #run: RunCommand;
  #changes: readonly Change[] = [];

  private constructor(root: string, machine: FaultyMachine, run: RunCommand) {
    this.#root = root;
    this.disk = path.join(root, 'disk');
    this.machine = machine;
    this.#run = run;
  }

  /** @param startRunner makes what runs the commands, with the environment of the machine */
  static async open(
    startRunner: (env: Readonly<Record<string, string>>) => RunCommand,
  ): Promise<ChangingWorld> {
    const root = await mkdtemp(path.join(tmpdir(), 'changes-'));
    await mkdir(path.join(root, 'disk'));
    const machine = await FaultyMachine.open(path.join(root, 'disk'));
    const world = new ChangingWorld(root, machine, startRunner({ ...machine.env, PATREON_TIERS: 'Pro' }));
    await world.#prepare().catch(async (error: unknown) => {
      await world.close();
      throw error;
    });
    return world;
  }

  /** The commands that change something. */
  get changes(): readonly Change[] {
    return this.#changes;
  }

  /**
   * Runs a command while writes fail.
   *
   * @param from the first writing operation that fails
   * @returns what is wrong; undefined if the command failed as it should, or was not reached by the fault
   */
  async findFault(
    { name, args }: Change,
    run: number,
    fault: DiskFault,
    from: number,
  ): Promise<string | undefined> {
    const words = args(run);
    this.machine.damage(fault, from);
    const { code, signal, stderr } = await this.#run(name, words, this.disk);
    const failed = this.machine.mend();
    if (failed === 0 && code === 0) return undefined;
    if (code === 1 && CLEAR.test(stderr) && !/\n {4}at /.test(stderr)) return undefined;
    // What is only tidied up may fail.
    if (code === 0 && from > 1) return undefined;
    return `${name} ${words.join(' ')} with ${fault} from operation ${from}: ended with ${signal ?? code}: ${stderr || 'nothing'}`;
  }

  /** Finds what the faults have damaged. */
  async findDamage(): Promise<string[]> {
    const found = await Promise.all(
      ['dist', 'published'].map((folder) => findFaults(path.join(this.disk, folder))),
    );
    const verified = await this.#run('gateway', ['store', 'verify', '--store', 'store'], this.disk);
    const listed = await this.#run('gateway', ['keys', 'list', '--store', 'store'], this.disk);
    if (verified.code !== 0 || !/^damaged +0$/m.test(verified.stdout))
      found.push([`store verify: ${verified.stdout}${verified.stderr}`]);
    if (listed.code !== 0 || !listed.stdout.includes(ADA))
      found.push([`keys list: ${listed.stdout}${listed.stderr}`]);
    return found.flat().map((each) => JSON.stringify(each));
  }

  async close(): Promise<void> {
    await this.machine.close();
    await rm(this.#root, { recursive: true });
  }

  async #complete(name: CommandName, ...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.#run(name, args, this.disk);
    if (code !== 0) throw new Error(`${name} ${args.join(' ')} ended with ${code}: ${stderr}`);
    return stdout;
  }

  async #prepare(): Promise<void> {
    const files = inFolder('data/alpha', gameFiles({ '1.0/characters.json': records(1) }));
    await writeFiles(this.disk, { ...files, 'dump/characters.json': records(2) });
    await writeFiles(this.#root, { 'members.csv': EXPORT, 'others.csv': `${EXPORT}${BOB}` });
    const gateway = (...args: string[]) => this.#complete('gateway', ...args, '--store', 'store');
    const made = await gateway('keys', 'issue', ADA, '--tier', 'pro');
    const prefix = /gdr_[a-z2-7]{8}/.exec(made)?.[0] ?? '';
    await this.#complete('gamedata', 'build');
    await this.#complete('gamedata', 'publish', 'published');
    await gateway('follows', 'add', ADA, 'alpha');
    const link = await gateway('links', 'make', ADA, '/api/alpha/characters', '--json');
    const request = await gateway('requests', 'add', ADA, 'Omega', 'https://omega.example', '--json');
    await gateway('members', 'import', '../members.csv', '--platform', 'patreon');
    await gateway('store', 'backup', 'backup');
    this.#changes = [...storeChanges(prefix, textIn(link, 'prefix'), textIn(request, 'id')), ...DATA_CHANGES];
  }
}

function textIn(json: string, member: string): string {
  const found = new RegExp(`"${member}": *"([^"]+)"`).exec(json)?.[1];
  if (found === undefined) throw new Error(`no ${member} in ${json}`);
  return found;
}

function storeChanges(prefix: string, link: string, request: string): Change[] {
  const onStore = (...words: string[]): Change => ({
    name: 'gateway',
    args: () => [...words, '--store', 'store'],
  });
  const onNew = (...words: string[]): Change => ({
    name: 'gateway',
    args: (run) => [...words, words.includes('migrate') ? '--to' : '--store', `new-${run}`],
  });
  return [
    onStore('keys', 'issue', 'bob@example.org'),
    onStore('keys', 'set', prefix, '--name', 'mine'),
    onStore('keys', 'rotate', prefix),
    onStore('keys', 'revoke', prefix),
    onStore('accounts', 'grant', ADA, 'free'),
    onStore('accounts', 'delete', ADA),
    onStore('links', 'make', ADA, '/api/alpha/facets'),
    onStore('links', 'revoke', link),
    onStore('follows', 'add', ADA, 'all_games'),
    onStore('follows', 'remove', ADA, 'alpha'),
    onStore('alerts', 'mail', ADA, 'on'),
    onStore('alerts', 'webhook', ADA, 'https://hooks.example.org/x'),
    onStore('alerts', 'feed', ADA),
    onStore('members', 'import', '../others.csv', '--platform', 'patreon'),
    onStore('members', 'revoke', 'patreon:1'),
    onStore('requests', 'add', ADA, 'Psi', 'https://psi.example'),
    onStore('requests', 'accept', request),
    onStore('requests', 'decline', request),
    onStore('requests', 'done', request, '--game', 'alpha'),
    { name: 'gateway', args: (run) => ['store', 'backup', `backups/${run}`, '--store', 'store'] },
    onNew('store', 'init'),
    onNew('store', 'restore', 'backup'),
    onNew('store', 'migrate', '--from', 'store'),
  ];
}

const DATA_CHANGES: readonly Change[] = [
  { name: 'gamedata', args: (run) => ['new', `game-${run}`] },
  {
    name: 'gamedata',
    args: () => ['add', 'alpha', '2.0', '--from', 'dump', '--released-at', '2026-02-01T00:00:00Z'],
  },
  { name: 'gamedata', args: (run) => ['build', '--out', `out-${run}`] },
  { name: 'gamedata', args: (run) => ['publish', `published-${run}`] },
  { name: 'gamedata', args: (run) => ['keypair', `key-${run}.pem`] },
];

/**
 * Runs commands in one other process, which is replaced when a command ends it.
 *
 * @param children gets each process
 */
export function startHost(env: Readonly<Record<string, string>>, children: ChildProcess[]): RunCommand {
  const start = () => {
    const module = path.join(BUILD, 'test/faults/command-host.js');
    const child = fork(module, { env: { ...process.env, ...env }, silent: true });
    children.push(child);
    return child;
  };
  let host = start();
  return async (name, args, cwd) => {
    if (host.exitCode !== null || host.signalCode !== null) host = start();
    const waiting = new AbortController();
    const { signal } = waiting;
    const ended = once(host, 'exit', { signal }).then(([code, killed]) => ({ code, signal: killed }));
    const done = once(host, 'message', { signal }).then(([outcome]) => ({ ...outcome, signal: null }));
    host.send({ name, args, cwd });
    const end = await Promise.race([ended, done]);
    for (const other of [ended, done]) other.catch(() => {});
    waiting.abort();
    return { stdout: '', stderr: '', ...end } as CommandEnd;
  };
}
