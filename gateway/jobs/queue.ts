import type { Store } from '../store/store.ts';
import { type Table, type Transaction, transact } from '../store/transaction.ts';

/**
 * A queue is a table whose records are named by when they are due, so that listing it tells what comes first. Whoever claims a job makes
 * it due again a lease later, and removes it when it is done: where the holder dies, the job is due once more, and another takes it. That
 * is all there is to it, on LMDB and on Redis alike; a queue library would bring a second way to each of them, or serve only one.
 */
export type Queue<T> = Table<T>;

/** A job that is held until its lease ends. */
export interface Claim<T> {
  /** The id of the job, the same in every attempt. */
  id: string;
  /** The name of the record in the queue's table while it is held. */
  held: string;
  job: T;
}

/** What becomes of a job that could be claimed. */
export type Choice = 'take' | 'skip' | 'stop';

/** What is claimed, and for how long. Times in ms since 1970. */
export interface ClaimTerms<T> {
  now: number;
  /** How long it is held, in ms; longer than its work takes. */
  lease: number;
  /** The most jobs. */
  limit: number;
  /** Whether a job is wanted at present, or none after it either; asked once of each, in order. */
  choose?(job: T): Choice;
}

/** After how long a job that nobody does is forgotten. */
const KEEP_MS = 7 * 86_400_000;
/** How many are listed at once, and at most while looking for jobs that are wanted. */
const PAGE = 500;
const MOST_LISTED = 10_000;
const TIME_DIGITS = 15;

/**
 * Adds a job.
 *
 * @param id a job of the same id and time takes its place
 * @param at when it is due, ms since 1970
 */
export function addJob<T>(transaction: Transaction, queue: Queue<T>, id: string, at: number, job: T): string {
  const name = `${String(Math.ceil(at)).padStart(TIME_DIGITS, '0')} ${id}`;
  transaction.put(queue, name, job, at + KEEP_MS);
  return name;
}

/** Claims jobs that are due, the oldest first. Each is given to one caller alone, in whatever process. */
export async function claimJobs<T>(
  store: Store,
  queue: Queue<T>,
  { now, lease, limit, choose = () => 'take' }: ClaimTerms<T>,
): Promise<Claim<T>[]> {
  const names = await listWanted(store, queue, { now, limit, choose });
  if (names.length === 0) return [];
  return await transact(store, async (transaction) => {
    const claims: Claim<T>[] = [];
    for (const name of names) {
      const job = await transaction.get(queue, name);
      if (job === undefined) continue;
      const id = name.slice(TIME_DIGITS + 1);
      transaction.remove(queue, name);
      claims.push({ id, held: addJob(transaction, queue, id, now + lease, job), job });
    }
    return claims;
  });
}

/**
 * Lets go of a job that is held.
 *
 * @param next what is to be done later, and when
 * @returns whether it was still held: another has it where the lease has ended
 */
export async function settleJob<T>(
  transaction: Transaction,
  queue: Queue<T>,
  { id, held }: Claim<T>,
  next?: { at: number; job: T },
): Promise<boolean> {
  if ((await transaction.get(queue, held)) === undefined) return false;
  transaction.remove(queue, held);
  if (next) addJob(transaction, queue, id, next.at, next.job);
  return true;
}

async function listWanted<T>(
  store: Store,
  { prefix }: Queue<T>,
  { now, limit, choose }: { now: number; limit: number; choose(job: T): Choice },
): Promise<string[]> {
  const wanted: string[] = [];
  let after = '';
  for (let listed = 0; listed < MOST_LISTED; listed += PAGE) {
    const page = await store.list(prefix, { after, limit: PAGE });
    for (const [name, text] of page) {
      const id = name.slice(prefix.length);
      if (Number(id.slice(0, TIME_DIGITS)) > now || wanted.length === limit) return wanted;
      const choice = choose(JSON.parse(text) as T);
      if (choice === 'stop') return wanted;
      if (choice === 'take') wanted.push(id);
    }
    const last = page.at(-1);
    if (!last || page.length < PAGE) break;
    after = last[0];
  }
  return wanted;
}
