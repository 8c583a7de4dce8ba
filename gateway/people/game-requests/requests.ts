import { tierAt } from '../../plans/account.ts';
import type { Store } from '../../store/store.ts';
import { find, list, type Reader, type Transaction, table, transact } from '../../store/transaction.ts';
import { accountById, findAccounts } from '../accounts/accounts.ts';
import {
  type GameRequest,
  type RankedRequest,
  RequestError,
  rankRequests,
  readLink,
  readName,
  type Status,
} from './game-request.ts';
import { addNotices } from './notices.ts';

/** Id → request. */
const REQUESTS = table<GameRequest>('game-request');
/** Link → id of the request for it. */
const LINKS = table<string>('game-request-link');
/** Account id → ids of the requests that it supports. */
const SUPPORTED = table<string[]>('game-requests-of');
/** Under `COUNT`, how many requests there ever were. */
const COUNTS = table<number>('game-request-count');
const COUNT = 'all';

/** How many requests that are neither declined nor done an account may support. */
export const MOST_SUPPORTED = 20;

/** What somebody asks for. */
export interface Wish {
  /** The id of the account that asks. */
  account: string;
  name: string;
  link: string;
  /** Milliseconds since 1970. */
  now: number;
}

/** What the maintainers say to a request. */
export interface Decision {
  id: string;
  status: Exclude<Status, 'open'>;
  /** The slug of the game; as it is without. */
  game?: string;
  /** As it is without. */
  note?: string;
  /** Milliseconds since 1970. */
  now: number;
}

/**
 * Asks for a game. Where somebody asked for the same page before, it is support of that.
 *
 * @throws RequestError
 */
export async function addRequest(
  store: Store,
  { account, name: nameText, link: linkText, now }: Wish,
): Promise<GameRequest> {
  const name = readName(nameText);
  const link = readLink(linkText);
  return await transact(store, async (transaction) => {
    const known = await transaction.get(LINKS, link);
    if (known !== undefined) return await addSupport(transaction, known, account);
    const count = ((await transaction.get(COUNTS, COUNT)) ?? 0) + 1;
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
    transaction.put(COUNTS, COUNT, count);
    transaction.put(LINKS, link, id);
    transaction.put(REQUESTS, id, request);
    return await addSupport(transaction, id, account);
  });
}

/**
 * Supports the request of another; again, it changes nothing.
 *
 * @throws RequestError
 */
export async function supportRequest(
  store: Store,
  { id, account }: { id: string; account: string },
): Promise<GameRequest> {
  return await transact(store, (transaction) => addSupport(transaction, id, account));
}

/** Takes support back; where there is none, it changes nothing. An open request that nobody supports any more is gone. */
export async function withdrawSupport(
  store: Store,
  { id, account }: { id: string; account: string },
): Promise<void> {
  await transact(store, async (transaction) => {
    const supported = (await transaction.get(SUPPORTED, account)) ?? [];
    await removeSupport(transaction, id, account);
    transaction.put(
      SUPPORTED,
      account,
      supported.filter((other) => other !== id),
    );
  });
}

/**
 * Says what becomes of a request. Once it is done, those who support it are mailed by a running gateway.
 *
 * @throws RequestError
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
      throw new RequestError(`request ${id} names no game here yet; say which by --game <slug>`);
    }
    transaction.put(REQUESTS, id, decided);
    if (status === 'done' && request.status !== 'done') addNotices(transaction, decided, now);
    return decided;
  });
}

/**
 * Finishes the accepted requests whose games are there.
 *
 * @param games slugs of the games that are there
 * @param now milliseconds since 1970
 * @returns those that were finished by this call, and by no other
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
      const request = await transaction.get(REQUESTS, id);
      if (!request || !isReady(request)) return undefined;
      const done: GameRequest = { ...request, status: 'done', changed_at: new Date(now).toISOString() };
      transaction.put(REQUESTS, id, done);
      addNotices(transaction, done, now);
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
 * All requests in the order in which they are looked at.
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

/** The ids of the requests that an account supports. */
export async function supportedBy(reader: Reader, account: string): Promise<string[]> {
  return (await reader.get(SUPPORTED, account)) ?? [];
}

/** Forgets that an account supported anything. */
export async function forgetSupport(transaction: Transaction, account: string): Promise<void> {
  for (const id of await supportedBy(transaction, account)) await removeSupport(transaction, id, account);
  transaction.remove(SUPPORTED, account);
}

async function addSupport(transaction: Transaction, id: string, account: string): Promise<GameRequest> {
  const request = await getRequest(transaction, id);
  if ((await accountById(transaction, account)) === undefined)
    throw new RequestError('the account is deleted');
  const supported = await supportedBy(transaction, account);
  if (supported.includes(id)) return request;
  if (request.status === 'declined' || request.status === 'done') {
    const note = request.note ? `: ${request.note}` : '';
    throw new RequestError(`${request.name} (request ${id}) is ${request.status}${note}`);
  }
  if ((await countOpen(transaction, supported)) >= MOST_SUPPORTED) {
    throw new RequestError(
      `${MOST_SUPPORTED} requests at a time are the most; take back one that matters less`,
    );
  }
  const joined: GameRequest = { ...request, supporters: [...request.supporters, account] };
  transaction.put(REQUESTS, id, joined);
  transaction.put(SUPPORTED, account, [...supported, id]);
  return joined;
}

async function countOpen(reader: Reader, ids: readonly string[]): Promise<number> {
  let open = 0;
  for (const id of ids) {
    const request = await reader.get(REQUESTS, id);
    if (request?.status === 'open' || request?.status === 'accepted') open += 1;
  }
  return open;
}

async function removeSupport(transaction: Transaction, id: string, account: string): Promise<void> {
  const request = await transaction.get(REQUESTS, id);
  if (!request?.supporters.includes(account)) return;
  const supporters = request.supporters.filter((other) => other !== account);
  if (supporters.length > 0 || request.status !== 'open') {
    transaction.put(REQUESTS, id, { ...request, supporters });
    return;
  }
  // Nobody wants it, and nobody has said anything to it.
  transaction.remove(REQUESTS, id);
  transaction.remove(LINKS, request.link);
}

async function getRequest(reader: Reader, id: string): Promise<GameRequest> {
  const request = await reader.get(REQUESTS, id);
  if (request) return request;
  throw new RequestError(`there is no request ${id}; gateway requests list shows those there are`);
}
