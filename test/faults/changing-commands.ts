import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { verifyFolder } from '../../gateway/backup/verify.ts';
import type { CommandName, Ended } from '../support/command.ts';
import { type DiskFault, FaultyMachine } from '../support/faulty-machine.ts';
import { writeFiles } from '../support/fixtures.ts';
import { BUILD } from '../support/paths.ts';
import { runInProcess } from '../support/run-in-process.ts';
import { UpstreamRepository } from '../support/upstream-repository.ts';
import type { Change } from './change.ts';
import { DATA_CHANGES, dataFiles, RETITLED, upstreamFiles } from './data-changes.ts';
import { findFaults } from './find-faults.ts';
import { ADA, OLD, storeChanges } from './store-changes.ts';

/** How a command ended; `signal` is null if it exited. */
export type CommandEnd = Pick<Ended, 'code' | 'signal' | 'stdout' | 'stderr'>;

/** What a host runs. */
export interface HostedCommand extends Pick<Change, 'name' | 'args' | 'env'> {
  cwd: string;
}

/** What the commands say about the disk. SQLite and git have messages of their own. */
const CLEAR =
  /no space left|disk is full|database or disk is full|read-only|readonly|i\/o error|input\/output error|unable to open/i;

const HEAD =
  'Name,Email,Patron Status,Tier,Charge Frequency,Last Charge Date,Last Charge Status,Next Charge Date,User ID\n';
const CHARGES = 'Active patron,Pro,Monthly,2030-06-01 00:00:00,Paid,2030-07-01 00:00:00';

/** A folder on a disk that can fail, with a store and games, and the commands that change them. */
export class ChangingWorld {
  readonly #machine: FaultyMachine;
  /** What is on the disk before each command. */
  readonly #template: string;
  /** The folder that is on the disk, and the working directory of commands. */
  readonly #disk: string;
  readonly #root: string;
  readonly #run: (command: HostedCommand) => Promise<CommandEnd>;
  #changes: readonly Change[] = [];

  private constructor(root: string, machine: FaultyMachine, children: ChildProcess[]) {
    this.#root = root;
    this.#template = path.join(root, 'template');
    this.#disk = path.join(root, 'disk');
    this.#machine = machine;
    this.#run = startHost({ ...machine.env, PATREON_TIERS: 'Pro' }, children);
  }

  /** @param children gets each process that is started; the caller ends them */
  static async open(children: ChildProcess[]): Promise<ChangingWorld> {
    const root = await mkdtemp(path.join(tmpdir(), 'changes-'));
    const machine = await FaultyMachine.open(path.join(root, 'disk'));
    const world = new ChangingWorld(root, machine, children);
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
   * Runs a command while writes fail, on a new copy of everything.
   *
   * @param from the first writing operation that fails
   * @returns what is wrong: how it ended, what it said and did not do, and what is damaged
   */
  async findFaults(change: Change, fault: DiskFault, from: number): Promise<string[]> {
    await rm(this.#disk, { recursive: true, force: true });
    await cp(this.#template, this.#disk, { recursive: true });
    this.#machine.damage(fault, from);
    const { name, args, env } = change;
    const end = await this.#run({ name, args, cwd: this.#disk, ...(env && { env }) });
    this.#machine.mend();
    const what = `${name} ${args.join(' ')} with ${fault} from operation ${from}`;
    const wrong = await this.#findWrong(change, end);
    return [...(wrong ? [wrong] : []), ...(await this.#findDamage(change))].map((each) => `${what}: ${each}`);
  }

  async #findWrong(
    change: Change,
    { code, signal, stdout, stderr }: CommandEnd,
  ): Promise<string | undefined> {
    // A fault that is not reached, or that only tidying up meets, changes nothing.
    if (code === 0) return (await change.isDone(this.#disk, stdout)) ? undefined : 'did not do what it said';
    if (code === 1 && CLEAR.test(stderr) && !/\n {4}at /.test(stderr)) return undefined;
    return `ended with ${signal ?? code}: ${stderr || 'nothing'}`;
  }

  async #findDamage({ args }: Change): Promise<string[]> {
    const folders = ['dist', 'published'].map((folder) => findFaults(path.join(this.#disk, folder)));
    const faults = (await Promise.all(folders)).flat();
    for (const name of args.includes(OLD) ? ['store', OLD] : ['store']) {
      const store = path.join(this.#disk, name);
      const { code, stdout, stderr } = await runInProcess('gateway', ['keys', 'list', '--store', store]);
      if (code !== 0 || !(stdout.includes(ADA) || args.includes('delete')))
        faults.push(`keys: ${stdout}${stderr}`);
      faults.push(...verifyFolder(store).damaged);
    }
    return faults;
  }

  async close(): Promise<void> {
    await this.#machine.close();
    await rm(this.#root, { recursive: true });
  }

  async #complete(name: CommandName, ...args: string[]): Promise<string> {
    const env = { PATREON_TIERS: 'Pro' };
    const { code, stdout, stderr } = await runInProcess(name, args, { cwd: this.#template, env });
    if (code !== 0) throw new Error(`${name} ${args.join(' ')} ended with ${code}: ${stderr}${stdout}`);
    return stdout;
  }

  async #prepare(): Promise<void> {
    await this.#prepareData();
    await writeFiles(this.#root, {
      'members.csv': `${HEAD}Ada,${ADA},${CHARGES},1\n`,
      'others.csv': `${HEAD}Ada,${ADA},${CHARGES},1\nBob,bob@example.org,${CHARGES},2\n`,
    });
    const gateway = (...args: string[]) => this.#complete('gateway', ...args, '--store', 'store');
    const key = /gdr_[a-z2-7]{8}/.exec(await gateway('keys', 'issue', ADA, '--tier', 'pro'))?.[0] ?? '';
    await gateway('follows', 'add', ADA, 'alpha');
    await gateway('alerts', 'webhook', ADA, 'https://hooks.example.org/x');
    const link = await gateway('links', 'make', ADA, '/api/alpha/characters', '--json', '--dist', 'none');
    const request = await gateway('requests', 'add', ADA, 'Omega', 'https://omega.example', '--json');
    await gateway('members', 'import', '../members.csv', '--platform', 'patreon');
    await gateway('store', 'backup', 'backup');
    await this.#complete('gateway', 'store', 'migrate', '--from', 'store', '--to', `lmdb:${OLD}`);
    this.#changes = [
      ...storeChanges({ key, link: textIn(link, 'prefix'), request: textIn(request, 'id') }),
      ...DATA_CHANGES,
    ];
  }

  async #prepareData(): Promise<void> {
    await mkdir(this.#template);
    const repository = await UpstreamRepository.create(path.join(this.#root, 'upstream'));
    await repository.commit('Update 1.0', '2026-01-01T00:00:00Z', upstreamFiles(1));
    await writeFiles(this.#template, dataFiles(repository.address));
    const gamedata = (...args: string[]) => this.#complete('gamedata', ...args);
    await gamedata('pull', 'gamma', '--allow-local', '--coverage', 'none');
    await gamedata('build', '--allow-local');
    await writeFiles(this.#template, RETITLED);
    await gamedata('build', '--allow-local');
    await gamedata('publish', 'published');
    await repository.commit('Update 1.1', '2026-02-01T00:00:00Z', upstreamFiles(2));
  }
}

function textIn(json: string, member: string): string {
  const found = new RegExp(`"${member}": *"([^"]+)"`).exec(json)?.[1];
  if (found === undefined) throw new Error(`no ${member} in ${json}`);
  return found;
}

/**
 * Runs commands in one other process, which is replaced when a command ends it.
 *
 * @param children gets each process
 */
function startHost(env: Readonly<Record<string, string>>, children: ChildProcess[]) {
  const start = () => {
    const module = path.join(BUILD, 'test/faults/command-host.js');
    const child = fork(module, { env: { ...process.env, ...env }, execArgv: ['--expose-gc'], silent: true });
    children.push(child);
    return child;
  };
  let host = start();
  return async (command: HostedCommand): Promise<CommandEnd> => {
    if (host.exitCode !== null || host.signalCode !== null) host = start();
    const waiting = new AbortController();
    const { signal } = waiting;
    const ended = once(host, 'exit', { signal }).then(([code, killed]) => ({ code, signal: killed }));
    const done = once(host, 'message', { signal }).then(([outcome]) => ({ ...outcome, signal: null }));
    host.send(command);
    const end = await Promise.race([ended, done]);
    for (const other of [ended, done]) other.catch(() => {});
    waiting.abort();
    return { stdout: '', stderr: '', ...end } as CommandEnd;
  };
}
