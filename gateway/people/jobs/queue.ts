import type { Store } from '../../store/sql.ts';
import { type Table, type Transaction, transact } from '../../store/records.ts';
import { listPage } from '../../store/records.ts';

/** A table of jobs, named by their due time. README.md describes how jobs are claimed and settled. */
export type Queue<T> = Table<T>;

/** A job that one process holds until its lease ends. */
export interface Claim<T> {
  /** The id of the job, the same in every attempt. */
  id: string;
  /** The name of the job's record in the table during the lease. */
  held: string;
  job: T;
}

/** Whether to claim a job, leave it, or leave it and all later ones. */
type Choice = 'take' | 'skip' | 'stop';

/** Which jobs to claim, and for how long. */
export interface ClaimTerms<T> {
  /** ms since 1970. */
  now: number;
  /** How long each job is held, in ms; longer than its work takes. */
  lease: number;
  /** The maximum number of jobs. */
  limit: number;
  /** Called once for each due job, in order; without it, all are claimed. */
  choose?(job: T): Choice;
  /** Returns the job to store for when its lease ends unsettled, for example with one more failure; by default the same job. */
  afterLease?(job: T): T;
}

/** A job that is not completed is dropped this long after its due time. */
const KEEP_MS = 7 * 86_400_000;
/** How many jobs are listed at once, after as many as are wanted. */
const PAGE = 500;
/** How many jobs one call of `claimJobs` lists at most. */
const MAX_LISTED = 10_000;
const TIME_DIGITS = 15;

/**
 * Adds a job.
 *
 * @param id a job with the same id and due time is replaced
 * @param at when the job is due, ms since 1970
 * @returns the name of the job's record
 */
export async function addJob<T>(
  transaction: Transaction,
  queue: Queue<T>,
  id: string,
  at: number,
  job: T,
): Promise<string> {
  const name = `${String(Math.ceil(at)).padStart(TIME_DIGITS, '0')} ${id}`;
  await transaction.put(queue, name, job, at + KEEP_MS);
  return name;
}

/** Claims due jobs, the oldest first. Each job goes to exactly one caller, across all processes. */
export async function claimJobs<T>(
  store: Store,
  queue: Queue<T>,
  { now, lease, limit, choose = () => 'take', afterLease = (job) => job }: ClaimTerms<T>,
): Promise<Claim<T>[]> {
  const names = await listWanted(store, queue, { now, limit, choose });
  if (names.length === 0) return [];
  return await transact(store, async (transaction) => {
    const claims: Claim<T>[] = [];
    for (const name of names) {
      const job = await transaction.read(queue, name);
      if (job === undefined) continue;
      const id = name.slice(TIME_DIGITS + 1);
      await transaction.remove(queue, name);
      claims.push({ id, held: await addJob(transaction, queue, id, now + lease, afterLease(job)), job });
    }
    return claims;
  });
}

/**
 * Removes a job that this process holds.
 *
 * @param next a job to add in its place, and when it is due
 * @returns whether the job was still held; false when the lease has ended and another process may hold it
 */
export async function settleJob<T>(
  transaction: Transaction,
  queue: Queue<T>,
  { id, held }: Claim<T>,
  next?: { at: number; job: T },
): Promise<boolean> {
  if ((await transaction.read(queue, held)) === undefined) return false;
  await transaction.remove(queue, held);
  if (next) await addJob(transaction, queue, id, next.at, next.job);
  return true;
}

/** The jobs of a queue that are due and that no process holds. */
export interface DueJobs {
  /** How many; at most the limit. */
  count: number;
  /** When the oldest was due, in ms since 1970; undefined without one. */
  oldest: number | undefined;
}

/** Counts due jobs, up to a limit that keeps the work small. */
export async function countDueJobs(
  store: Store,
  queue: Queue<unknown>,
  now: number,
  limit: number,
): Promise<DueJobs> {
  const listed = await listPage(store, queue, { after: '', limit });
  const times = listed.map(([id]) => Number(id.slice(0, TIME_DIGITS)));
  const due = times.filter((time) => time <= now);
  return { count: due.length, oldest: due[0] };
}

async function listWanted<T>(
  store: Store,
  queue: Queue<T>,
  { now, limit, choose }: { now: number; limit: number; choose(job: T): Choice },
): Promise<string[]> {
  const wanted: string[] = [];
  let after = '';
  for (let listed = 0, size = limit; listed < MAX_LISTED; listed += size, size = PAGE) {
    const page = await listPage(store, queue, { after, limit: size });
    for (const [id, job] of page) {
      if (Number(id.slice(0, TIME_DIGITS)) > now || wanted.length === limit) return wanted;
      const choice = choose(job);
      if (choice === 'stop') return wanted;
      if (choice === 'take') wanted.push(id);
    }
    const last = page.at(-1);
    if (!last || page.length < size) break;
    after = last[0];
  }
  return wanted;
}
