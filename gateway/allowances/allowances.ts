import { setTimeout as sleep } from 'node:timers/promises';
import { keyedNames } from '../store/accounts/name-counters.ts';
import type { Store } from '../store/store.ts';
import { type Transaction, table, transact } from '../store/transaction.ts';

/** How often something may be used: some times at once, and once more after each interval. */
export interface Allowance {
  atOnce: number;
  everyMs: number;
}

/** One use of something that has an allowance. */
export interface Use {
  /** What is used, and by whom. The store holds only a keyed hash of it. */
  name: string;
  allowance: Allowance;
  /** What is used instead if the allowance is spent. */
  reserve?: Reserve;
}

/** An allowance that is used only while something else is unused. */
interface Reserve extends Pick<Use, 'name' | 'allowance'> {
  whileUnused: string;
}

/** The outcome: `seconds` says when a refused use is possible; `takeBack` undoes what was counted. */
export type UseOutcome =
  | { isAllowed: true; takeBack(): Promise<void> }
  | { isAllowed: false; seconds: number };

/** A part of all allowances: the name of each that is in use → when it will be unused again, ms since 1970. */
type Shard = Readonly<Record<string, number>>;

/** The first digits of names → the allowances with these names. */
const SHARDS = table<Shard>('allowances');
/** How many digits choose one of 256 shards. */
const SHARD_DIGITS = 2;
/** How many digits of a name are kept beyond those. */
const NAME_DIGITS = 20;
/** A day longer than any allowance takes to be unused again. An end after that was written before the clock was set back by more. */
const LONGEST_MS = 2 * 86_400_000;
/** How long a transaction waits for its turn; after that, it may have to be repeated. */
const MAX_TURN_MS = 2000;
/** The last transaction of this process on each store. */
const lastTurns = new WeakMap<Store, Promise<unknown>>();
/** How many allowances are kept in a shard; the one that is unused again first is forgotten first. */
export const MAX_IN_SHARD = 64;

/**
 * Counts uses, all of them or none. What is refused leaves nothing in the store, and what was counted is gone as soon as its allowance is
 * unused again. At most 16,384 allowances are kept, in 256 records of 2.5 KB.
 *
 * @param now ms since 1970
 * @throws StoreError when the store does not respond; nothing was counted then
 */
export function useAllowances(store: Store, uses: readonly Use[], now: number): Promise<UseOutcome> {
  return inTurn(store, async (transaction) => {
    const ledger = await Ledger.read(transaction, uses.flatMap(namesIn), now);
    const chosen = uses.map((use) => ledger.choose(use));
    const wait = Math.max(...chosen.map((use) => ledger.waitFor(use)));
    if (wait > 0) return { isAllowed: false, seconds: Math.ceil(wait / 1000) };
    for (const { name, allowance } of chosen) ledger.move(name, allowance.everyMs);
    ledger.write();
    return { isAllowed: true, takeBack: () => takeBack(store, chosen, now) };
  });
}

/** Undoes uses. An allowance that was forgotten since stays unused. */
function takeBack(store: Store, uses: readonly Use[], now: number): Promise<void> {
  return inTurn(store, async (transaction) => {
    const ledger = await Ledger.read(transaction, uses.flatMap(namesIn), now);
    for (const { name, allowance } of uses) ledger.move(name, -allowance.everyMs);
    ledger.write();
  });
}

/** Runs a transaction after those of this process that began before: they read so many shards that they would repeat each other. */
function inTurn<T>(store: Store, work: (transaction: Transaction) => Promise<T>): Promise<T> {
  const before = lastTurns.get(store);
  // While the store is away, each transaction fails only after a while: nobody waits for all of them.
  const begin = before
    ? Promise.race([before, sleep(MAX_TURN_MS, undefined, { ref: false })])
    : Promise.resolve();
  const turn = begin.then(() => transact(store, work));
  lastTurns.set(
    store,
    turn.catch(() => {}),
  );
  return turn;
}

function namesIn({ name, reserve }: Use): string[] {
  return reserve ? [name, reserve.name, reserve.whileUnused] : [name];
}

/** The shards of some names, in a transaction. */
class Ledger {
  readonly #transaction: Transaction;
  readonly #shards: Map<string, Shard>;
  readonly #keyOf: (name: string) => string;
  readonly #now: number;

  private constructor(
    transaction: Transaction,
    shards: Map<string, Shard>,
    keyOf: (name: string) => string,
    now: number,
  ) {
    this.#transaction = transaction;
    this.#shards = shards;
    this.#keyOf = keyOf;
    this.#now = now;
  }

  static async read(transaction: Transaction, names: readonly string[], now: number): Promise<Ledger> {
    const keyOf = await keyedNames(transaction);
    const ids = [...new Set(names.map((name) => shardOf(keyOf(name))))];
    const read = async (id: string) => [id, (await transaction.get(SHARDS, id)) ?? {}] as const;
    return new Ledger(transaction, new Map(await Promise.all(ids.map(read))), keyOf, now);
  }

  /** Returns the reserve of a use if that is what it counts against, otherwise the use. */
  choose(use: Use): Use {
    const { reserve } = use;
    if (!reserve || this.waitFor(use) === 0 || this.#endOf(reserve.whileUnused) > this.#now) return use;
    return this.waitFor(reserve) < this.waitFor(use) ? reserve : use;
  }

  /** Returns how long to wait for a use, in ms, at most an interval; 0 if it is possible. */
  waitFor({ name, allowance: { atOnce, everyMs } }: Use): number {
    const whole = atOnce * everyMs;
    const used = Math.min(whole, Math.max(0, this.#endOf(name) - this.#now));
    return Math.max(0, used + everyMs - whole);
  }

  /** Moves the time at which a name is unused again. */
  move(name: string, ms: number): void {
    const [id, key] = this.#placeOf(name);
    const end = Math.max(this.#endOf(name), this.#now) + ms;
    this.#shards.set(id, { ...this.#shards.get(id), [key]: end });
  }

  /** Writes the shards, without what is unused. */
  write(): void {
    for (const [id, shard] of this.#shards) {
      const used = Object.entries(shard).filter(([, end]) => this.#isUsed(end));
      const most = used.sort(([, a], [, b]) => b - a).slice(0, MAX_IN_SHARD);
      const [last] = most;
      if (last) this.#transaction.put(SHARDS, id, Object.fromEntries(most), last[1]);
      else this.#transaction.remove(SHARDS, id);
    }
  }

  #endOf(name: string): number {
    const [id, key] = this.#placeOf(name);
    const end = this.#shards.get(id)?.[key] ?? 0;
    return this.#isUsed(end) ? end : 0;
  }

  #isUsed(end: number): boolean {
    return end > this.#now && end <= this.#now + LONGEST_MS;
  }

  #placeOf(name: string): [id: string, key: string] {
    const hash = this.#keyOf(name);
    return [shardOf(hash), hash.slice(SHARD_DIGITS, SHARD_DIGITS + NAME_DIGITS)];
  }
}

function shardOf(hash: string): string {
  return hash.slice(0, SHARD_DIGITS);
}
