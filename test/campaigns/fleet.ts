import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openStore } from '../../gateway/store/open.ts';
import { type Running, startCommand } from '../support/command.ts';
import { buildGames } from '../support/dist-fixture.ts';
import { type Files, writeFiles } from '../support/fixtures.ts';
import { findFreePort } from '../support/free-port.ts';
import { issueKey } from '../support/harness.ts';
import { type NginxServer, startNginx } from '../support/nginx-server.ts';
import { until } from '../support/until.ts';
import { Acknowledged } from './acknowledged.ts';

/** One game with a few characters. */
export const GAME: Files = {
  'saga/game.json': { title: 'Saga' },
  'saga/1.0/build.json': { released_at: '2026-01-01' },
  'saga/1.0/characters.json': Array.from({ length: 50 }, (_, id) => ({
    id: `u${id}`,
    name: `Unit ${id}`,
    rarity: id % 5,
  })),
  'saga/1.0/pull_planner.json': { cost: 160 },
};

/** Options of a fleet. By default it is two gateways on a store folder, with nginx in front. */
export interface FleetOptions {
  count?: number;
  files?: Files;
  /** The value for `--store`; a new folder by default. */
  store?: string;
  hasFront?: boolean;
  /** Further arguments of `gateway serve`. */
  args?: readonly string[];
  env?: Record<string, string>;
}

/** Gateways on one dist/ and one store, each on a port that stays the same after a restart. */
export class Fleet {
  readonly root: string;
  readonly dist: string;
  readonly store: string;
  /** The keys that were issued here. */
  readonly acknowledged = new Acknowledged();
  /** How often a gateway said that it counts requests in memory, because the store did not respond in time. */
  countedInMemory = 0;
  readonly #ports: readonly number[];
  readonly #args: readonly string[];
  readonly #env: Record<string, string>;
  readonly #running = new Map<number, Running>();
  #front: NginxServer | undefined;

  private constructor(root: string, { store, args = [], env = {} }: FleetOptions, ports: readonly number[]) {
    this.root = root;
    this.dist = path.join(root, 'dist');
    this.store = store ?? path.join(root, 'store');
    this.#ports = ports;
    this.#args = args;
    this.#env = env;
  }

  /** Builds the game and starts all gateways. */
  static async open(options: FleetOptions = {}): Promise<Fleet> {
    const { count = 2, files = GAME, hasFront = true } = options;
    const root = await mkdtemp(path.join(tmpdir(), 'campaign-'));
    const ports = await Promise.all(Array.from({ length: count }, findFreePort));
    const fleet = new Fleet(root, options, ports);
    try {
      await writeFiles(path.join(root, 'data'), files);
      await buildGames(files, fleet.dist);
      for (const index of ports.keys()) await fleet.start(index);
      if (hasFront) fleet.#front = await startFront(ports);
    } catch (error) {
      await fleet.close();
      throw error;
    }
    return fleet;
  }

  /** How many gateways there are. */
  get count(): number {
    return this.#ports.length;
  }

  /** The address of nginx. */
  get front(): string {
    if (!this.#front) throw new Error('the fleet was opened without nginx');
    return this.#front.address;
  }

  /** The address of one gateway. */
  address(index: number): string {
    return `http://127.0.0.1:${this.#ports[index]}`;
  }

  /** Starts a gateway; resolves when it is ready. */
  async start(index: number): Promise<void> {
    const args = ['--port', String(this.#ports[index]), '--dist', this.dist, '--store', this.store];
    const gateway = startCommand('gateway', ['serve', ...args, '--access-log', 'off', ...this.#args], {
      env: this.#env,
    });
    this.#running.set(index, gateway);
    gateway.child.stdout.on('data', (text: Buffer) => {
      if (text.includes('quotas are counted in memory')) this.countedInMemory++;
    });
    await gateway.printed(/"message":"listening"/);
    await until(async () => (await fetch(`${this.address(index)}/readyz`)).status === 200);
  }

  /** The number of a gateway's process. */
  pid(index: number): number {
    const { pid } = this.#running.get(index)?.child ?? {};
    if (pid === undefined) throw new Error(`gateway ${index} does not run`);
    return pid;
  }

  /** What a gateway has written to stdout and stderr, when it has ended. */
  async logOf(index: number): Promise<string> {
    const ended = await this.#running.get(index)?.ended;
    return `${ended?.stdout}${ended?.stderr}`;
  }

  /** Ends a gateway. */
  async end(index: number, signal: NodeJS.Signals): Promise<void> {
    const gateway = this.#running.get(index);
    gateway?.child.kill(signal);
    await gateway?.ended;
  }

  /** Issues keys to new accounts of a tier. */
  async issueKeys(tier: 'free' | 'pro', emails: readonly string[]): Promise<string[]> {
    const store = await openStore(this.store);
    try {
      const keys = await Promise.all(emails.map((email) => issueKey(store, tier, email)));
      for (const key of keys) this.acknowledged.issued(key);
      return keys;
    } finally {
      await store.close();
    }
  }

  /** Ends everything and removes it. */
  async close(): Promise<void> {
    await Promise.all([...this.#running.keys()].map((index) => this.end(index, 'SIGKILL')));
    await this.#front?.remove();
    await rm(this.root, { recursive: true });
  }
}

function startFront([one, two]: readonly number[]): Promise<NginxServer> {
  return startNginx('front', { '10.0.0.11:3000': `127.0.0.1:${one}`, '10.0.0.12:3000': `127.0.0.1:${two}` });
}
