// Game requests and their votes. When a requested game becomes available, its supporters get a mail (account-mails.ts).
import { SLUG } from '../../scripts/format/dist-format.ts';
import { InputError, quote } from '../http/problem.ts';
import { accountById, toIso } from '../store/accounts.ts';
import { readMeta, setMeta } from '../store/open.ts';
import type { Sql, Store } from '../store/sql.ts';

/** `open`: undecided; `accepted`: the game will be added; `declined`: it will not; `done`: it is available. */
type Status = 'open' | 'accepted' | 'declined' | 'done';

export interface GameRequest {
  /** A number that increases with each request. */
  id: string;
  name: string;
  /** The game's page in an app store, as `readLink` returns it. */
  link: string;
  status: Status;
  /** The slug that the game has or will have here; null until a maintainer sets it. */
  game: string | null;
  /** A note by the maintainers. */
  note: string | null;
  /** ISO 8601 UTC. */
  created_at: string;
  /** How many accounts support it, and how many of these are Pro. */
  supporters: number;
  pro: number;
  /** Whether the requesting account supports it. */
  isOwn: boolean;
}

interface RequestRow extends Omit<GameRequest, 'id' | 'created_at' | 'isOwn'> {
  id: number;
  created_at: number;
  own: number;
}

type SeenGames = Pick<ReadonlySet<string>, 'has'>;

/** The view of operators: all games. */
export const ALL_SEEN: SeenGames = { has: () => true };

/** An account that supports requests, by its id. */
export interface Supporter {
  account: string;
  seen: SeenGames;
}

const SLUG_FORM = new RegExp(SLUG);
export const MAX_TITLE_CHARS = 100;
export const MAX_LINK_CHARS = 500;
/** How many requests whose games are not available yet an account can support. */
export const MAX_SUPPORTED = 20;

const PRO = "accounts.tier = 'pro' AND (accounts.pro_until IS NULL OR accounts.pro_until > $1)";
const SELECT = `SELECT requests.*, count(votes.account) AS supporters, count(CASE WHEN ${PRO} THEN 1 END) AS pro,
    count(CASE WHEN votes.account = $2 THEN 1 END) AS own
  FROM requests LEFT JOIN votes ON votes.request = requests.id LEFT JOIN accounts ON accounts.id = votes.account`;

function toRequest({ id, created_at, own, ...rest }: RequestRow): GameRequest {
  return { id: String(id), ...rest, created_at: toIso(created_at), isOwn: own > 0 };
}

/** How many requests an account sees, its own first. */
const MAX_SHOWN = 500;

/**
 * Lists requests: those with a Pro supporter first, then by supporters, then by age.
 *
 * @param account lists its own before the others, and at most `MAX_SHOWN`; without it, all
 */
export async function listRequests(sql: Sql, account = '', where = ''): Promise<GameRequest[]> {
  const rows = await sql.all<RequestRow>(
    `${SELECT} ${where} GROUP BY requests.id
     ORDER BY count(CASE WHEN votes.account = $2 THEN 1 END) DESC, CASE WHEN count(CASE WHEN ${PRO} THEN 1 END) > 0 THEN 0 ELSE 1 END, count(votes.account) DESC, requests.id
     ${account && `LIMIT ${MAX_SHOWN}`}`,
    [sql.now(), account],
  );
  return rows.map(toRequest);
}

/** @throws InputError */
async function findRequest(sql: Sql, id: string, account = ''): Promise<GameRequest> {
  const number = /^\d{1,12}$/.test(id) ? Number(id) : 0;
  const statement = `${SELECT} WHERE requests.id = $3 GROUP BY requests.id`;
  const row = await sql.get<RequestRow>(statement, [sql.now(), account, number]);
  if (row) return toRequest(row);
  throw new InputError(`request ${id} does not exist; gateway requests list shows all requests`);
}

/** Returns a request as an account sees it: a request that is done looks accepted until the account can see its game. */
export function asSeen(request: GameRequest, seen: SeenGames): GameRequest {
  const isHidden = request.status === 'done' && request.game !== null && !seen.has(request.game);
  return isHidden ? { ...request, status: 'accepted', game: null } : request;
}

export function isWaiting({ status }: GameRequest): boolean {
  return status === 'open' || status === 'accepted';
}

/** Adds a request for a game, or supports the existing one for the same link. @throws InputError */
export async function addRequest(
  store: Store,
  supporter: Supporter,
  typed: { name: string; link: string },
): Promise<GameRequest> {
  const name = readName(typed.name);
  const link = readLink(typed.link);
  return await store.transaction(async (sql) => {
    const present = await sql.get<{ id: number }>('SELECT id FROM requests WHERE link = $1', [link]);
    if (present) return await addVote(sql, String(present.id), supporter);
    // Not only above the ids in the table: a page that shows a removed request must not name another one.
    const greatest = await sql.get<{ id: number }>('SELECT coalesce(max(id), 0) AS id FROM requests');
    const id = Math.max(Number(greatest?.id), Number((await readMeta(sql, 'requests')) ?? 0)) + 1;
    await setMeta(sql, 'requests', String(id));
    await sql.run(
      "INSERT INTO requests (id, name, link, status, created_at) VALUES ($1, $2, $3, 'open', $4)",
      [id, name, link, sql.now()],
    );
    return await addVote(sql, String(id), supporter);
  });
}

/** Does nothing if the account already supports the request. @throws InputError */
export async function supportRequest(store: Store, id: string, supporter: Supporter): Promise<GameRequest> {
  return await store.transaction((sql) => addVote(sql, id, supporter));
}

async function addVote(sql: Sql, id: string, { account, seen }: Supporter): Promise<GameRequest> {
  const request = await findRequest(sql, id, account);
  if (!(await accountById(sql, account))) throw new InputError('the account no longer exists');
  if (request.isOwn) return request;
  const { name, note, status } = asSeen(request, seen);
  if (status === 'declined' || status === 'done')
    throw new InputError(`${name} (request ${id}) is ${status}${note ? `: ${note}` : ''}`);
  const isOwn = 'WHERE requests.id IN (SELECT request FROM votes WHERE account = $2)';
  const own = await listRequests(sql, account, isOwn);
  if (own.filter((each) => isWaiting(asSeen(each, seen))).length >= MAX_SUPPORTED)
    throw new InputError(
      `an account can support at most ${MAX_SUPPORTED} open requests; withdraw from one of them first`,
    );
  const values = [Number(id), account, sql.now()];
  await sql.run('INSERT INTO votes (request, account, at) VALUES ($1, $2, $3)', values);
  if (request.status === 'done') await queueMails(sql, id, account);
  return await findRequest(sql, id, account);
}

export async function withdrawSupport(store: Store, id: string, account: string): Promise<void> {
  if (!/^\d{1,12}$/.test(id)) return;
  await store.transaction(async (sql) => {
    await sql.run('DELETE FROM votes WHERE request = $1 AND account = $2', [Number(id), account]);
    await removeUnsupported(sql);
  });
}

/** Removes open requests that no account supports. */
export async function removeUnsupported(sql: Sql): Promise<void> {
  await sql.run(
    "DELETE FROM requests WHERE status = 'open' AND NOT EXISTS (SELECT 1 FROM votes WHERE request = requests.id)",
  );
}

/** A maintainer's decision on a request. Without a slug or a note, the earlier one stays. */
export interface Decision {
  status: Exclude<Status, 'open'>;
  game?: string | undefined;
  note?: string | undefined;
}

/** When the status becomes `done`, a running gateway mails the supporters. @throws InputError */
export async function decideRequest(store: Store, id: string, decision: Decision): Promise<GameRequest> {
  if (decision.game !== undefined && !SLUG_FORM.test(decision.game))
    throw new InputError(
      `${quote(decision.game)} is not a slug; expected lowercase letters, digits and single hyphens`,
    );
  return await store.transaction(async (sql) => {
    const before = await findRequest(sql, id);
    const { status, game = before.game, note = before.note } = decision;
    if (status === 'done' && game === null)
      throw new InputError(`request ${id} has no game yet; name one with --game <slug>`);
    const statement = 'UPDATE requests SET status = $1, game = $2, note = $3 WHERE id = $4';
    await sql.run(statement, [status, game, note, Number(id)]);
    if (status === 'done' && before.status !== 'done') await queueMails(sql, id);
    return await findRequest(sql, id);
  });
}

/** Marks the accepted requests whose games are available as done, and queues the mails to their supporters. @returns the ids of these requests */
export async function finishRequests(store: Store, games: SeenGames): Promise<string[]> {
  const accepted = await store.all<{ id: number; game: string }>(
    "SELECT id, game FROM requests WHERE status = 'accepted' AND game IS NOT NULL",
  );
  const ready = accepted.filter((each) => games.has(each.game));
  // A maintainer may have decided otherwise since.
  const finish = "UPDATE requests SET status = 'done' WHERE id = $1 AND game = $2 AND status = 'accepted'";
  for (const { id, game } of ready)
    await store.transaction(async (sql) => {
      if ((await sql.run(finish, [id, game])) > 0) await queueMails(sql, String(id));
    });
  return ready.map(({ id }) => String(id));
}

/** Queues one mail per supporter of a request. @param account mails only this one */
async function queueMails(sql: Sql, id: string, account: string | null = null): Promise<void> {
  await sql.run(
    `INSERT INTO mails (id, account, kind, content, due_at)
     SELECT 'request-' || CAST($1 AS TEXT) || '-' || account, account, 'game-request', CAST($1 AS TEXT), CAST($2 AS BIGINT)
     FROM votes WHERE request = $3 AND (CAST($4 AS TEXT) IS NULL OR account = $4) ON CONFLICT DO NOTHING`,
    [id, sql.now(), Number(id), account],
  );
}

/** Query parameters that do not change which page a link leads to. */
const IGNORED_PARAMETERS = /^(?:utm_.*|hl|gl|ref|referrer|fbclid|gclid)$/;

/** Parses the name of a game. @throws InputError */
export function readName(text: string): string {
  // A long text is not normalised: that can take time quadratic in its length.
  const typed = text.length > 10 * MAX_TITLE_CHARS ? '' : text;
  const name = typed.normalize('NFC').trim().replace(/\s+/g, ' ');
  if (name !== '' && name.length <= MAX_TITLE_CHARS && !/\p{C}/u.test(name)) return name;
  throw new InputError(`the name of a game must be one line of 1 to ${MAX_TITLE_CHARS} characters`);
}

/** Parses and normalises the link to a game's page in an app store, so that two requests for the same page are one. @throws InputError */
export function readLink(text: string): string {
  const link = text.trim();
  const expected = `expected the game's page in an app store, https://…, with at most ${MAX_LINK_CHARS} characters`;
  if (link.length > MAX_LINK_CHARS || !URL.canParse(link))
    throw new InputError(`this is not a link; ${expected}`);
  const url = new URL(link);
  const isPublic = url.protocol === 'https:' && url.username === '' && url.password === '';
  if (!isPublic || !url.hostname.includes('.'))
    throw new InputError(`this is not a link to a public page; ${expected}`);
  for (const name of [...url.searchParams.keys()])
    if (IGNORED_PARAMETERS.test(name)) url.searchParams.delete(name);
  url.searchParams.sort();
  url.hash = '';
  url.pathname = url.pathname.replace(/\/+$/, '') || '/';
  if (url.href.length <= MAX_LINK_CHARS) return url.href;
  throw new InputError(
    `this link is too long once its non-ASCII characters are percent-encoded; ${expected}`,
  );
}
