import type { Tier } from '../../plans/account.ts';

/** What can become of a request: it is open, will be worked on, will not, or the game is there. */
export type Status = 'open' | 'accepted' | 'declined' | 'done';

/** Somebody's wish that a game be added. */
export interface GameRequest {
  /** A number, in the order in which requests came. */
  id: string;
  /** What the game is called. */
  name: string;
  /** Its page in a store, as `readLink` gives it. */
  link: string;
  status: Status;
  /** The slug that the game has or will have here; null until somebody says so. */
  game: string | null;
  /** What the maintainers say to it. */
  note: string | null;
  /** Who asked, and then who joined: ids of accounts. */
  supporters: string[];
  /** ISO 8601 UTC. */
  created_at: string;
  /** When the maintainers last said something to it, or it was made, ISO 8601 UTC. */
  changed_at: string;
}

/** A request with what its place in the list follows from. */
export interface RankedRequest {
  request: GameRequest;
  /** How many of its supporters are Pro now. */
  pro: number;
}

/** A request that cannot be taken as it is; the message is for whoever made it. */
export class RequestError extends Error {}

export const LONGEST_NAME = 100;
export const LONGEST_LINK = 500;
/** What a link carries along that makes no other page of it. */
const IDLE_PARAMETERS = /^(?:utm_.*|hl|gl|ref|referrer|fbclid|gclid)$/;
/** Control, format and unassigned characters, and lone surrogates. */
const UNPRINTABLE = /\p{C}/u;

/**
 * Puts requests in the order in which they are looked at: those that somebody with Pro asks for before all others, then those
 * with more supporters, then the older ones.
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
 * Reads what a game is called.
 *
 * @throws RequestError
 */
export function readName(text: string): string {
  const name = text.normalize('NFC').trim().replace(/\s+/g, ' ');
  if (name !== '' && name.length <= LONGEST_NAME && !UNPRINTABLE.test(name)) return name;
  throw new RequestError(`the name of the game is not of 1 to ${LONGEST_NAME} characters in one line`);
}

/**
 * Reads the address of a game's page in a store into one form, so that two requests for one page are one.
 *
 * @throws RequestError
 */
export function readLink(text: string): string {
  const link = text.trim();
  const expected = `expected the page of the game in a store, https://…, of at most ${LONGEST_LINK} characters`;
  if (link.length > LONGEST_LINK || !URL.canParse(link))
    throw new RequestError(`that is no link; ${expected}`);
  const url = new URL(link);
  if (
    url.protocol !== 'https:' ||
    url.username !== '' ||
    url.password !== '' ||
    !url.hostname.includes('.')
  ) {
    throw new RequestError(`that is no link to a page that anybody can open; ${expected}`);
  }
  for (const name of [...url.searchParams.keys()]) {
    if (IDLE_PARAMETERS.test(name)) url.searchParams.delete(name);
  }
  url.searchParams.sort();
  url.hash = '';
  url.pathname = url.pathname.replace(/\/+$/, '') || '/';
  if (url.href.length > LONGEST_LINK)
    throw new RequestError(`with what is no ASCII written as %XX that link is too long; ${expected}`);
  return url.href;
}
