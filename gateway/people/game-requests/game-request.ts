import type { Tier } from '../../access/account.ts';
import { InputError } from '../../http/problem.ts';

/** `open`: undecided; `accepted`: the game will be added; `declined`: it will not; `done`: it is available. */
type Status = 'open' | 'accepted' | 'declined' | 'done';

/** A request to add a game. */
export interface GameRequest {
  /** A number that increases with each request. */
  id: string;
  /** The name of the game. */
  name: string;
  /** The game's page in an app store, as returned by `readLink`. */
  link: string;
  status: Status;
  /** The slug that the game has or will have here; null until a maintainer sets it. */
  game: string | null;
  /** A note by the maintainers. */
  note: string | null;
  /** Account ids: the requester first, then the others in the order in which they joined. */
  supporters: string[];
  /** ISO 8601 UTC. */
  created_at: string;
  /** When the request was created or last decided on, ISO 8601 UTC. */
  changed_at: string;
}

/** The games that an account can see now. */
export interface SeenGames {
  has(slug: string): boolean;
}

/** What operators see: all games. */
export const ALL_SEEN: SeenGames = { has: () => true };

/** An account that supports a request. */
export interface Supporter {
  /** The account's id. */
  account: string;
  seen: SeenGames;
  /** Milliseconds since 1970. */
  now: number;
}

/** A new request. */
export interface NewRequest extends Supporter {
  name: string;
  link: string;
}

/** A maintainer's decision on a request. */
export interface Decision {
  id: string;
  status: Exclude<Status, 'open'>;
  /** The slug of the game; without it, the slug stays as it is. */
  game?: string;
  /** A note for the supporters; without it, the note stays as it is. */
  note?: string;
  /** Milliseconds since 1970. */
  now: number;
}

/** Returns a request as an account sees it: until the account can see its game, a request that is done looks accepted. */
export function asSeen(request: GameRequest, seen: SeenGames): GameRequest {
  const isHidden = request.status === 'done' && request.game !== null && !seen.has(request.game);
  return isHidden ? { ...request, status: 'accepted', game: null } : request;
}

/** Returns whether a request waits for its game. */
export function isOpen({ status }: GameRequest): boolean {
  return status === 'open' || status === 'accepted';
}

/** A request, and its number of Pro supporters for the ranking. */
export interface RankedRequest {
  request: GameRequest;
  /** How many of its supporters have Pro now. */
  pro: number;
}

export const MAX_NAME_CHARS = 100;
/** A longer text is not normalised: that can take the square of its length. */
const MAX_TYPED_CHARS = 10 * MAX_NAME_CHARS;
export const MAX_LINK_CHARS = 500;
/** Query parameters that do not change which page a link leads to. */
const IGNORED_PARAMETERS = /^(?:utm_.*|hl|gl|ref|referrer|fbclid|gclid)$/;
/** Control, format and unassigned characters, and lone surrogates. */
const UNPRINTABLE = /\p{C}/u;

/**
 * Ranks requests: those with at least one Pro supporter first, then those with more supporters, then the older ones.
 *
 * @param tierOf the tier that an account has now
 */
export function rankRequests(
  requests: readonly GameRequest[],
  tierOf: (account: string) => Tier,
): RankedRequest[] {
  const ranked = requests.map((request) => ({
    request,
    pro: request.supporters.filter((account) => tierOf(account) === 'pro').length,
  }));
  return ranked.sort(
    (a, b) =>
      Number(b.pro > 0) - Number(a.pro > 0) ||
      b.request.supporters.length - a.request.supporters.length ||
      Number(a.request.id) - Number(b.request.id),
  );
}

/**
 * Parses the name of a game.
 *
 * @throws InputError
 */
export function readName(text: string): string {
  const typed = text.length > MAX_TYPED_CHARS ? '' : text;
  const name = typed.normalize('NFC').trim().replace(/\s+/g, ' ');
  if (name !== '' && name.length <= MAX_NAME_CHARS && !UNPRINTABLE.test(name)) return name;
  throw new InputError(`the name of a game must be one line of 1 to ${MAX_NAME_CHARS} characters`);
}

/**
 * Parses and normalizes the link to a game's page in an app store, so that two requests for the same page are one.
 *
 * @throws InputError
 */
export function readLink(text: string): string {
  const link = text.trim();
  const expected = `expected the game's page in an app store, https://…, with at most ${MAX_LINK_CHARS} characters`;
  if (link.length > MAX_LINK_CHARS || !URL.canParse(link))
    throw new InputError(`this is not a link; ${expected}`);
  const url = new URL(link);
  if (
    url.protocol !== 'https:' ||
    url.username !== '' ||
    url.password !== '' ||
    !url.hostname.includes('.')
  ) {
    throw new InputError(`this is not a link to a public page; ${expected}`);
  }
  for (const name of [...url.searchParams.keys()]) {
    if (IGNORED_PARAMETERS.test(name)) url.searchParams.delete(name);
  }
  url.searchParams.sort();
  url.hash = '';
  url.pathname = url.pathname.replace(/\/+$/, '') || '/';
  if (url.href.length > MAX_LINK_CHARS)
    throw new InputError(
      `this link is too long once its non-ASCII characters are percent-encoded; ${expected}`,
    );
  return url.href;
}
