import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import * as assert from 'uvu/assert';
import { commandLine, type Ended, type Running, startProcess } from '../../../support/command.ts';
import { gameFiles, inFolder, writeFiles } from '../../../support/fixtures.ts';
import { compileVersionBefore, type VersionBefore } from '../../../support/version-before.ts';

/** Which version runs a command. */
export type Version = 'old' | 'new';

/** What a gateway responds to a request. */
export interface Served {
  status: number;
  /** How many requests of the day are left to the key. */
  left: number;
}

/** An old version, this version, and one dist/ that both serve. */
export class OldWorld {
  readonly root: string;
  readonly #before: VersionBefore;
  readonly #running: Running[] = [];
  #stores = 0;

  private constructor(root: string, before: VersionBefore) {
    this.root = root;
    this.#before = before;
  }

  /** @param commit of the old version; that of version 0.1.0 by default */
  static async open(commit?: string): Promise<OldWorld> {
    const root = await mkdtemp(path.join(tmpdir(), 'old-folder-'));
    await writeFiles(
      path.join(root, 'data'),
      inFolder('saga', gameFiles({ 'game.json': { title: 'Saga' } })),
    );
    const before = await compileVersionBefore(commit);
    // Both versions read the dist/ of the old one.
    const [program, ...args] = before.command('gamedata');
    const { code, stderr } = await startProcess(program, [...args, 'build'], { cwd: root }).ended;
    assert.is(code, 0, stderr);
    return new OldWorld(root, before);
  }

  /** The path of a folder that does not exist yet. */
  newStore(): string {
    return path.join(this.root, `store-${this.#stores++}`);
  }

  /** The program and arguments of a command of a version. */
  commandLine(version: Version, args: readonly string[]): [string, ...string[]] {
    return version === 'old'
      ? [...this.#before.command('gateway'), ...args]
      : commandLine('gateway', [...args]);
  }

  start(version: Version, args: readonly string[], env: Record<string, string> = {}): Running {
    const [program, ...rest] = this.commandLine(version, args);
    const running = startProcess(program, rest, { cwd: this.root, env, detached: true });
    this.#running.push(running);
    return running;
  }

  async run(version: Version, args: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
    return await this.start(version, args, env).ended;
  }

  /** Runs a command that has to succeed. @returns what it printed */
  async complete(version: Version, ...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.run(version, args);
    assert.is(code, 0, `${version}: ${args.join(' ')}: ${stderr}`);
    return stdout;
  }

  async issueKey(version: Version, store: string, email: string): Promise<string> {
    const printed = await this.complete(version, 'keys', 'issue', email, '--json', '--store', store);
    return (JSON.parse(printed) as { key: string }).key;
  }

  /** @returns the email addresses of all keys that work */
  async listEmails(version: Version, store: string): Promise<string[]> {
    const printed = await this.complete(version, 'keys', 'list', '--json', '--store', store);
    const keys = JSON.parse(printed) as { email: string; revoked_at: string | null }[];
    return keys.flatMap(({ email, revoked_at }) => (revoked_at === null ? email : [])).sort();
  }

  /** Starts a gateway. @returns its address */
  async serve(version: Version, store: string): Promise<{ gateway: Running; address: string }> {
    const args = ['serve', '--port', '0', '--dist', path.join(this.root, 'dist'), '--store', store];
    const gateway = this.start(version, args);
    const [, address = ''] = await gateway.printed(/"address":"(http:[^"]+)"/);
    return { gateway, address };
  }

  /** Sends one request with each key to a gateway, which is then ended. */
  async ask(version: Version, store: string, keys: readonly string[]): Promise<Served[]> {
    const { gateway, address } = await this.serve(version, store);
    const served: Served[] = [];
    for (const key of keys) served.push(await ask(address, key));
    gateway.child.kill('SIGTERM');
    await gateway.ended;
    return served;
  }

  async close(): Promise<void> {
    for (const { child, ended } of this.#running) {
      // It may have left a child that is stopped.
      if (child.pid !== undefined) killGroup(child.pid);
      await ended;
    }
    await rm(this.root, { recursive: true });
  }
}

function killGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

async function ask(address: string, key: string): Promise<Served> {
  const { status, headers } = await fetch(`${address}/api/games`, { headers: { 'x-api-key': key } });
  const left = /"day";r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1];
  return { status, left: Number(left ?? Number.NaN) };
}
