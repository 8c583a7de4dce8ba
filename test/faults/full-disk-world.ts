import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Acknowledged } from '../campaigns/acknowledged.ts';
import { type Outcome, send } from '../campaigns/traffic.ts';
import { type CommandName, commandLine, type Ended, type Running, startProcess } from '../support/command.ts';
import { buildGames } from '../support/dist-fixture.ts';
import { type FileServer, startFileServer } from '../support/file-server.ts';
import { gameFiles, inFolder, writeFiles } from '../support/fixtures.ts';
import { findFreePort } from '../support/free-port.ts';
import { until } from '../support/until.ts';
import { type Figures, noFigures } from './figures.ts';
import { SmallDisk } from './small-disk.ts';

const DISK_BYTES = 16 * 1024 * 1024;
/** How commands say that a disk is full; SQLITE says the last. */
const FULL = /ENOSPC|no space left|disk is full|Input\/output error/i;
const KEY = /gdr_[a-z2-7]{30,}/;

/** One game, with the number of its state in its title and its names. */
function sagaFiles(state: number, releasedAt = '2026-01-01') {
  const characters = Array.from({ length: 200 }, (_, id) => ({ id: `u${id}`, name: `Unit ${id} ${state}` }));
  return inFolder(
    'saga',
    gameFiles({
      'game.json': { title: `Saga ${state}` },
      '1.0/build.json': { released_at: releasedAt },
      '1.0/characters.json': characters,
    }),
  );
}

/** What a campaign of full disks uses: a small disk with the store, cache and log of a gateway, and with the output of gamedata. */
export class FullDiskWorld {
  readonly figures: Figures = noFigures();
  readonly disk: SmallDisk;
  /** How often the gateway was started. */
  starts = 0;
  readonly #acknowledged = new Acknowledged();
  readonly #root: string;
  readonly #files: FileServer;
  readonly #port: number;
  readonly #report: (failure: string) => void;
  #gateway: Running | undefined;

  private constructor(
    root: string,
    disk: SmallDisk,
    files: FileServer,
    port: number,
    report: (failure: string) => void,
  ) {
    this.#root = root;
    this.disk = disk;
    this.#files = files;
    this.#port = port;
    this.#report = report;
  }

  /** Makes the disk, and two places without a limit: `upstream`, which the gateway follows, and `data`, which gamedata compiles. */
  static async open(report: (failure: string) => void): Promise<FullDiskWorld> {
    const root = await mkdtemp(path.join(tmpdir(), 'faults-'));
    for (const folder of ['disk', 'upstream']) await mkdir(path.join(root, folder));
    const disk = await SmallDisk.open(path.join(root, 'disk'), DISK_BYTES);
    const files = await startFileServer(path.join(root, 'upstream'));
    return new FullDiskWorld(root, disk, files, await findFreePort(), report);
  }

  /** Counts and reports a failure. */
  note(kind: 'lost' | 'torn' | 'wrong' | 'silent', failure: string): void {
    this.figures[kind]++;
    this.#report(failure);
  }

  /** Puts another state into `data`, and publishes it where the gateway follows it. */
  async writeState(state: number): Promise<void> {
    // Only a build that is not released may change.
    await writeFiles(path.join(this.#root, 'data'), sagaFiles(state, '2999-01-01'));
    await buildGames(sagaFiles(state), path.join(this.#root, 'upstream'));
  }

  /** Runs a command that sees the disk. */
  async run(name: CommandName, args: readonly string[]): Promise<Ended> {
    const [program, ...rest] = this.disk.inside(commandLine(name, [...args]));
    return await startProcess(program, rest).ended;
  }

  /** Checks that a command which failed says that the disk is full. */
  checkFailure(what: string, { code, signal, stderr }: Ended): void {
    if (code === 0 || FULL.test(stderr)) return;
    const kind = code === null || stderr === '' ? 'silent' : 'wrong';
    this.note(kind, `${what} ended with ${signal ?? code}: ${stderr || 'nothing'}`);
  }

  /** Runs a command that has to succeed, because there is room. @returns what it printed */
  async complete(name: CommandName, args: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await this.run(name, args);
    if (code !== 0) this.note('lost', `with room again, ${name} ${args[0]} ended with ${code}: ${stderr}`);
    return stdout;
  }

  /** Issues a key. @returns undefined if the command fails, which it may only if the disk is full */
  async issueKey(tier: 'free' | 'pro', email: string): Promise<string | undefined> {
    const args = ['keys', 'issue', email, '--tier', tier, '--store', 'disk/store'];
    const ended = await this.run('gateway', args);
    this.checkFailure('gateway keys issue', ended);
    const key = ended.code === 0 ? KEY.exec(ended.stdout)?.[0] : undefined;
    if (key !== undefined) this.#acknowledged.issued(key);
    return key;
  }

  /** Looks for every key that was issued here. There has to be room. */
  async readBack(): Promise<void> {
    const listed = await this.complete('gateway', ['keys', 'list', '--json', '--store', 'disk/store']);
    for (const line of this.#acknowledged.findLost(JSON.parse(listed))) this.note('lost', line);
  }

  /** Starts the gateway, with its log on the disk as well. @returns whether it is ready; otherwise it ended and said why */
  async startGateway(): Promise<boolean> {
    const places = ['--dist', this.#files.address, '--cache', 'disk/cache', '--store', 'disk/store'];
    const command = commandLine('gateway', ['serve', '--port', String(this.#port), ...places]);
    const [program, ...rest] = this.disk.inside(['sh', '-c', 'exec "$@" >> disk/log', 'sh', ...command]);
    const gateway = startProcess(program, rest);
    this.#gateway = gateway;
    this.starts++;
    const { child } = gateway;
    await until(async () => child.exitCode !== null || child.signalCode !== null || (await this.isReady()));
    if (await this.isReady()) return true;
    this.checkFailure('gateway serve', await gateway.ended);
    return false;
  }

  /** Ends the gateway. */
  async endGateway(signal: NodeJS.Signals): Promise<void> {
    this.#gateway?.child.kill(signal);
    await this.#gateway?.ended;
  }

  async ask(target: string, key?: string): Promise<Outcome> {
    return await send(`http://127.0.0.1:${this.#port}${target}`, key);
  }

  async isReady(): Promise<boolean> {
    return (await this.ask('/readyz')).status === 200;
  }

  /** Waits until an entry of the log that is written from now on is in its file. */
  async checkLog(): Promise<void> {
    const { headers } = await this.ask('/healthz');
    const id = String(headers.get('x-request-id'));
    await until(async () => (await readFile(this.disk.outside('log'), 'utf8')).includes(id));
    // The gateway appends to it.
    await writeFile(this.disk.outside('log'), '');
  }

  /** Ends everything and removes it. */
  async close(): Promise<void> {
    await this.endGateway('SIGKILL');
    await this.#files.stop();
    await this.disk.close();
    await rm(this.#root, { recursive: true });
  }
}
