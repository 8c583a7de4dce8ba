import { findNearest } from '../../scripts/lib/nearest.ts';
import type { Asked } from '../api/api-access.ts';
import type { Route } from '../api/route.ts';
import type { GameBuild } from '../data/game-build.ts';
import { isLost, type View } from '../data/view.ts';
import { type Headers, HttpProblem, type ProblemCode, unavailable } from '../http/problem.ts';
import { quote, suggest } from '../http/suggest.ts';
import type { Archive } from '../data/archive.ts';
import { TIERS } from '../access/account.ts';
import type { PageContent } from './layout/page-content.ts';
import type { PageKind } from './page-budget.ts';
import type { Audience } from './pictures.ts';

/** Where Pro is sold. */
export interface ProOffer {
  /** What it costs, as a text: `$5 a month`; undefined if the operator does not say. */
  price: string | undefined;
  /** Where to join, with the names of the platforms. */
  links: readonly { name: string; address: string }[];
}

/** What pages can use besides the view. */
export interface SiteServices extends Audience {
  /** Returns the past builds, which the gateway opens and closes. */
  archive: () => Archive;
  pro: ProOffer;
  /** The search over all games, as the API has it; undefined without that part, or if visitors see a sample. */
  search: Route | undefined;
  /** Makes the JSON of a 200 of the API, for a view. */
  read: (asked: Asked, view: View) => Promise<Buffer>;
  /** Whether visitors can get a key by mail. */
  hasSignup: boolean;
  /** Where people reach the gateway, without a path. */
  publicUrl: () => string;
  /** ms since 1970. */
  now: () => number;
  /** Returns why the gateway is not ready; undefined when it is. */
  findUnreadiness: () => Promise<string | undefined>;
}

/** What a page is made of. */
export interface Visit {
  /** What a visitor sees: the view of a free key. */
  view: View;
  /** The parameters in the path. */
  params: Readonly<Record<string, string>>;
  /** The part of the query that the page reads (`relevantQuery`), without `?`. */
  query: string;
  /** Whether there is room for work that a page can do without, such as finding what is near to an unknown id. */
  isSpare: boolean;
  services: SiteServices;
}

/** A page of the site. */
export interface SitePage {
  /** With `:name` for parameters. */
  path: string;
  /** Further header fields. */
  headers?: Headers;
  /** Whether it shows pictures of all games; other pages may load those of the game in their address only. */
  hasAllPictures?: boolean;
  /** How long it is shown unchanged, in ms, if it depends on more than the view. */
  keepMs?: number;
  /**
   * Returns the parameters that its content depends on; without it, all of them. Addresses with the same ones have one page, so that made-up
   * names do not fill the memory.
   *
   * @throws HttpProblem for what does not exist, or is not visible yet
   */
  relevantParams?(visit: Visit): Visit['params'];
  /**
   * Returns the part of the query that its content depends on, always written in the same way; without it, a page depends on no query.
   *
   * @param query as sent, without `?`
   */
  relevantQuery?(query: string, visit: Omit<Visit, 'query'>): string;
  /** What it takes from the budget of a network (`page-budget.ts`); without it, nothing. */
  kind?: PageKind;
  /** Whether it takes nothing without a query. */
  isFreeAtFirst?: boolean;
  /**
   * @throws HttpProblem for what does not exist, or is not visible yet
   * @throws Redirect for what has another address
   */
  make(visit: Visit): PageContent | Promise<PageContent>;
}

/** A file for programs that a page has beside it: JSON, or a text of another type. */
export interface SiteData {
  path: string;
  keepMs?: number;
  /** Further header fields. */
  headers?: Headers;
  /** The media type of a text; without it, the data is sent as JSON. */
  type?: string;
  /** @throws HttpProblem for what does not exist, or is not visible yet */
  makeData(visit: Visit): unknown;
}

/** Thrown by a page that has moved. */
export class Redirect extends Error {
  readonly location: string;

  constructor(location: string) {
    super(`the page is at ${location}`);
    this.location = location;
  }
}

/** A page that visitors may have meant. */
export interface Near {
  href: string;
  name: string;
}

/** Something that does not exist, with what is near to it. */
export class NearProblem extends HttpProblem {
  readonly near: readonly Near[];

  constructor(code: ProblemCode, detail: string, near: readonly Near[]) {
    super(code, detail);
    this.near = near;
  }
}

/**
 * Returns the game of a page.
 *
 * @throws HttpProblem `unknown-game`, or `unavailable` if its files are damaged
 */
export function gameOf({ view, params }: Pick<Visit, 'view' | 'params'>): GameBuild {
  const slug = params.game ?? '';
  const game = view.games.get(slug);
  if (game) return game;
  if (isLost(view, slug)) throw unavailable('the data of this game cannot be read right now');
  const { delayHours } = TIERS.free;
  throw new NearProblem(
    'unknown-game',
    `there is no game ${quote(slug)}${suggest(slug, [...view.games.keys()])}, or it is not public yet: a game is public ${delayHours} hours after its first build, and Pro keys see it at once`,
    gamesNear(view, slug),
  );
}

/** Finds the games with a name that is near to one, or with such a word in it. */
function gamesNear({ games }: View, text: string): Near[] {
  const namesOf = ({ slug, title }: GameBuild) => [slug, title, ...title.split(/[^\p{L}\p{N}]+/u)];
  const nearest = findNearest(text, [...games.values()].flatMap(namesOf));
  return [...games.values()]
    .filter((game) => nearest !== undefined && namesOf(game).includes(nearest))
    .map(({ slug, title }) => ({ href: `/games/${slug}`, name: title }));
}
