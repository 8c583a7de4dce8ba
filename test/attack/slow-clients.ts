import { readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import type { Terms } from '../campaigns/campaign.ts';
import { Fleet } from '../campaigns/fleet.ts';
import { send } from '../campaigns/traffic.ts';
import type { Files } from '../support/fixtures.ts';
import { type AttackCampaign, Tally } from './figures.ts';

const SLOW_HEADS = 150;
const SLOW_BODIES = 50;
const IDLE = 300;
/** Clients that read nothing; the requests of each have responses of more than a megabyte together. */
const READERS = 200;
const REQUESTS = 5;
/** How often a slow client sends a byte, and how often connections are opened and closed at once. */
const DRIP_MS = 100;
/** How many connections are opened and closed every time. */
const CHURN = 20;
/** How long the request of another client may take on a machine that is busy with this attack. */
const MAX_PROBE_MS = 3000;
/** The gateway's documented limit for responses that wait, and as much again for all else. */
const MAX_MEMORY_BYTES = 1024 * 2 ** 20;
/** Requests that do not arrive end after 30 s. */
const MAX_ARRIVAL_MS = 40_000;

const BIG: Files = {
  'saga/game.json': { title: 'Saga' },
  'saga/1.0/build.json': { released_at: '2026-01-01' },
  'saga/1.0/characters.json': Array.from({ length: 1200 }, (_, id) => ({
    id: `u${id}`,
    name: `Unit ${id}`,
    text: `${id} `.repeat(150),
  })),
  'saga/1.0/pull_planner.json': { cost: 160 },
};

/** Clients that send or read slowly or not at all, and floods of connections. */
export const campaign: AttackCampaign = {
  name: 'slow clients',
  about: `slow heads, slow bodies, responses that nobody reads, floods of connections: the requests of others take at most ${MAX_PROBE_MS} ms, and memory is bounded`,
  needs: [],
  async run(terms) {
    const fleet = await Fleet.open({ count: 1, hasFront: false, files: BIG });
    const tally = new Tally(terms);
    const crowd = new Crowd(new URL(fleet.address(0)).port, tally);
    try {
      const keys = await fleet.issueKeys('pro', ['a@example.org', 'b@example.org', 'c@example.org']);
      const [own = '', ...others] = keys;
      crowd.gather(others);
      const stop = crowd.churn();
      while (!terms.isOver()) await probe(fleet, own, terms, tally);
      stop();
      if (crowd.overdue() > 0)
        tally.gotThrough(`${crowd.overdue()} requests that did not arrive are still waited for`);
      const memory = await readPeak(fleet.pid(0));
      tally.held(memory);
      if (memory > MAX_MEMORY_BYTES) tally.gotThrough(`the gateway needed ${memory} bytes`);
    } finally {
      crowd.leave();
      await fleet.close();
    }
    return tally.figures;
  },
};

/** Sends a request of another client, and measures how long it takes. */
async function probe(fleet: Fleet, key: string, { random }: Terms, tally: Tally): Promise<void> {
  const started = performance.now();
  const { status, text } = await send(
    `${fleet.address(0)}/api/saga/characters/u${Math.floor(random() * 1200)}`,
    key,
  );
  const ms = performance.now() - started;
  tally.tried();
  tally.took(ms);
  if (status !== 200) tally.gotThrough(`another client got ${status} ${text.slice(0, 200)}`);
  if (ms > MAX_PROBE_MS) tally.gotThrough(`another client waited ${ms} ms`);
  await new Promise((resolve) => setTimeout(resolve, 10));
}

/** The connections of the attackers. */
class Crowd {
  readonly #port: number;
  readonly #tally: Tally;
  readonly #sockets = new Set<Socket>();
  /** When each request began that never arrives. */
  readonly #begun = new Map<Socket, number>();
  readonly #timers: NodeJS.Timeout[] = [];

  constructor(port: string, tally: Tally) {
    this.#port = Number(port);
    this.#tally = tally;
  }

  /** Opens all connections that last. */
  gather(keys: readonly string[]): void {
    const head = 'GET /api/games HTTP/1.1\r\nHost: x\r\nX-Slow: ';
    const post =
      'POST /signup HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 4000\r\n\r\nemail=';
    for (let count = 0; count < SLOW_HEADS; count++) this.#drip(head);
    for (let count = 0; count < SLOW_BODIES; count++) this.#drip(post);
    for (let count = 0; count < IDLE; count++) this.#open();
    for (let count = 0; count < READERS; count++) {
      const key = keys[count % keys.length];
      const requests = Array.from(
        { length: REQUESTS },
        (_, page) =>
          `GET /api/saga/characters?fields=id,name,text&limit=1000&offset=${page} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n\r\n`,
      );
      this.#open().pause().write(requests.join(''));
    }
  }

  /** Opens and closes connections all the time. @returns a function that stops it */
  churn(): () => void {
    const timer = setInterval(() => {
      for (let count = 0; count < CHURN; count++) {
        const socket = this.#open();
        socket.once('connect', () => socket.destroy());
      }
    }, DRIP_MS);
    this.#timers.push(timer);
    return () => clearInterval(timer);
  }

  /** How many requests have not arrived for longer than a gateway may wait. */
  overdue(): number {
    const now = performance.now();
    return [...this.#begun.values()].filter((begun) => now - begun > MAX_ARRIVAL_MS).length;
  }

  /** Closes everything. */
  leave(): void {
    for (const timer of this.#timers) clearInterval(timer);
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Sends the beginning of a request, then a byte at a time. */
  #drip(text: string): void {
    const socket = this.#open();
    socket.write(text);
    this.#begun.set(socket, performance.now());
    const timer = setInterval(() => socket.writable && socket.write('a'), DRIP_MS);
    this.#timers.push(timer);
    socket.once('close', () => {
      clearInterval(timer);
      this.#begun.delete(socket);
    });
  }

  #open(): Socket {
    this.#tally.tried();
    const socket = connect(this.#port, '127.0.0.1');
    this.#sockets.add(socket);
    socket.on('error', () => {}).once('close', () => this.#sockets.delete(socket));
    return socket;
  }
}

/** The most memory that a process has needed so far, in bytes. */
async function readPeak(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1]) * 1024;
}
