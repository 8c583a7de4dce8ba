import { randomUUID } from 'node:crypto';
import { tierAt } from '../../access/account.ts';
import { InputError } from '../../http/problem.ts';
import { accountById } from '../../store/accounts.ts';
import { find, list, type Reader, table, transact, type Transaction } from '../../store/records.ts';
import type { Store } from '../../store/sql.ts';
import { findAccounts } from '../accounts/account-records.ts';
import {
  asSeen,
  type Decision,
  type GameRequest,
  isOpen,
  type NewRequest,
  type RankedRequest,
  rankRequests,
  readLink,
  readName,
  type SeenGames,
  type Supporter,
} from './game-request.ts';
import { addNotices } from './notices.ts';

/** Id → request. */
const REQUESTS = table<GameRequest>('game-request');
/** Link → request id. */
const LINKS = table<string>('game-request-link');
/** Account id → ids of the requests that the account supports. */
const SUPPORTED = table<string[]>('game-requests-of');
/** `COUNT` → how many requests were ever added. */
const COUNTS = table<number>('game-request-count');
const COUNT = 'all';
/** `ALL` → a text that changes with every change of a request. */
const VERSIONS = table<string>('game-request-version');
const ALL = 'all';
/** How old a ranking may be at most: supporters get Pro, or lose it, without a change of a request. */
const MAX_RANKING_AGE_MS = 60_000;

/** How many open or accepted requests an account can support. */
export const MAX_SUPPORTED = 20;

/**
 * Adds a request for a game. If a request for the same link exists, supports that one instead.
 *
 * @throws InputError
 */
export async function addRequest(
  store: Store,
  { name: nameText, link: linkText, now, ...supporter }: NewRequest,
): Promise<GameRequest> {
  const name = readName(nameText);
  const link = readLink(linkText);
  return await transact(store, async (transaction) => {
    const present = await transaction.read(LINKS, link);
    if (present !== undefined) return await addSupport(transaction, present, { ...supporter, now });
    const count = ((await transaction.read(COUNTS, COUNT)) ?? 0) + 1;
    const id = String(count);
    const at = new Date(now).toISOString();
    const request: GameRequest = {
      id,
      name,
      link,
      status: 'open',
      game: null,
      note: null,
      supporters: [],
      created_at: at,
      changed_at: at,
    };
    await transaction.put(COUNTS, COUNT, count);
    await transaction.put(LINKS, link, id);
    await putRequest(transaction, request);
    return await addSupport(transaction, id, { ...supporter, now });
  });
}

/**
 * Adds an account to the supporters of a request. Does nothing when it already is one.
 *
 * @throws InputError
 */
export async function supportRequest(
  store: Store,
  { id, ...supporter }: Supporter & { id: string },
): Promise<GameRequest> {
  return await transact(store, (transaction) => addSupport(transaction, id, supporter));
}

/** Removes an account from the supporters of a request. An open request without supporters is removed. */
export async function withdrawSupport(
  store: Store,
  { id, account }: { id: string; account: string },
): Promise<void> {
  await transact(store, async (transaction) => {
    const supported = (await transaction.read(SUPPORTED, account)) ?? [];
    await removeSupport(transaction, id, account);
    await transaction.put(
      SUPPORTED,
      account,
      supported.filter((other) => other !== id),
    );
  });
}

/**
 * Sets the status of a request. When it becomes `done`, a running gateway mails the supporters.
 *
 * @throws InputError
 */
export async function decideRequest(
  store: Store,
  { id, status, game, note, now }: Decision,
): Promise<GameRequest> {
  return await transact(store, async (transaction) => {
    const request = await getRequest(transaction, id);
    const decided: GameRequest = {
      ...request,
      status,
      game: game ?? request.game,
      note: note ?? request.note,
      changed_at: new Date(now).toISOString(),
    };
    if (status === 'done' && decided.game === null) {
      throw new InputError(`request ${id} has no game yet; name one with --game <slug>`);
    }
    await putRequest(transaction, decided);
    if (status === 'done' && request.status !== 'done') await addNotices(transaction, decided, now);
    return decided;
  });
}

/**
 * Marks the accepted requests whose games are available as done, and queues the mails to their supporters.
 *
 * @param games slugs of the available games
 * @param now milliseconds since 1970
 * @returns the requests that this call has marked
 */
export async function finishRequests(
  store: Store,
  games: ReadonlySet<string>,
  now: number,
): Promise<GameRequest[]> {
  const isReady = ({ status, game }: GameRequest) =>
    status === 'accepted' && game !== null && games.has(game);
  const finished: GameRequest[] = [];
  for (const [id, listed] of await list(store, REQUESTS)) {
    if (!isReady(listed)) continue;
    const done = await transact(store, async (transaction) => {
      const request = await transaction.read(REQUESTS, id);
      if (!request || !isReady(request)) return undefined;
      const done: GameRequest = { ...request, status: 'done', changed_at: new Date(now).toISOString() };
      await putRequest(transaction, done);
      await addNotices(transaction, done, now);
      return done;
    });
    if (done) finished.push(done);
  }
  return finished;
}

/** Finds a request. */
export async function findRequest(store: Store, id: string): Promise<GameRequest | undefined> {
  return await find(store, REQUESTS, id);
}

/**
 * Returns all requests, ranked by `rankRequests`.
 *
 * @param now milliseconds since 1970
 */
export async function listRequests(store: Store, now: number): Promise<RankedRequest[]> {
  const requests = (await list(store, REQUESTS)).map(([, request]) => request);
  const ids = [...new Set(requests.flatMap(({ supporters }) => supporters))];
  const accounts = await findAccounts(store, ids);
  return rankRequests(requests, (id) => {
    const account = accounts.get(id);
    return account ? tierAt(account, now) : 'free';
  });
}

/** A ranking in memory. */
interface Ranking {
  version: string | undefined;
  /** When it was read, ms since 1970. */
  at: number;
  ranked: readonly RankedRequest[];
}

const rankings = new WeakMap<Store, Ranking>();

/**
 * Returns the same as `listRequests`, and reads the requests again only after one of them has changed, or after a minute: pages show them to
 * everybody. The tiers of supporters can be older than the requests.
 *
 * @param now milliseconds since 1970
 */
export async function readRanking(store: Store, now: number): Promise<readonly RankedRequest[]> {
  const version = await find(store, VERSIONS, ALL);
  const ranking = rankings.get(store);
  if (ranking && ranking.version === version && Math.abs(now - ranking.at) < MAX_RANKING_AGE_MS)
    return ranking.ranked;
  const ranked = await listRequests(store, now);
  rankings.set(store, { version, at: now, ranked });
  return ranked;
}

/** Returns the ids of the requests that an account supports. */
export async function supportedBy(reader: Reader, account: string): Promise<string[]> {
  return (await reader.read(SUPPORTED, account)) ?? [];
}

/** Withdraws all support of an account. */
export async function removeAllSupport(transaction: Transaction, account: string): Promise<void> {
  for (const id of await supportedBy(transaction, account)) await removeSupport(transaction, id, account);
  await transaction.remove(SUPPORTED, account);
}

async function addSupport(
  transaction: Transaction,
  id: string,
  { account, seen, now }: Supporter,
): Promise<GameRequest> {
  const request = await getRequest(transaction, id);
  if ((await accountById(transaction, account)) === undefined)
    throw new InputError('the account no longer exists');
  const supported = await supportedBy(transaction, account);
  if (supported.includes(id)) return request;
  const { status } = asSeen(request, seen);
  if (status === 'declined' || status === 'done') {
    const note = request.note ? `: ${request.note}` : '';
    throw new InputError(`${request.name} (request ${id}) is ${status}${note}`);
  }
  if ((await countOpen(transaction, supported, seen)) >= MAX_SUPPORTED) {
    throw new InputError(
      `an account can support at most ${MAX_SUPPORTED} open requests; withdraw from one of them first`,
    );
  }
  const joined: GameRequest = { ...request, supporters: [...request.supporters, account] };
  await putRequest(transaction, joined);
  await transaction.put(SUPPORTED, account, [...supported, id]);
  if (request.status === 'done') await addNotices(transaction, { ...joined, supporters: [account] }, now);
  return joined;
}

async function countOpen(reader: Reader, ids: readonly string[], seen: SeenGames): Promise<number> {
  let open = 0;
  for (const id of ids) {
    const request = await reader.read(REQUESTS, id);
    if (request && isOpen(asSeen(request, seen))) open += 1;
  }
  return open;
}

async function removeSupport(transaction: Transaction, id: string, account: string): Promise<void> {
  const request = await transaction.read(REQUESTS, id);
  if (!request?.supporters.includes(account)) return;
  const supporters = request.supporters.filter((other) => other !== account);
  if (supporters.length > 0 || request.status !== 'open') {
    await putRequest(transaction, { ...request, supporters });
    return;
  }
  // An open request that no account supports has no purpose.
  await transaction.remove(REQUESTS, id);
  await transaction.put(VERSIONS, ALL, randomUUID());
  await transaction.remove(LINKS, request.link);
}

async function putRequest(transaction: Transaction, request: GameRequest): Promise<void> {
  await transaction.put(REQUESTS, request.id, request);
  await transaction.put(VERSIONS, ALL, randomUUID());
}

async function getRequest(reader: Reader, id: string): Promise<GameRequest> {
  const request = await reader.read(REQUESTS, id);
  if (request) return request;
  throw new InputError(`request ${id} does not exist; gateway requests list shows all requests`);
}
