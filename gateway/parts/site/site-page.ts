import { isLost, type View } from '../../core/catalog/view.ts';
import type { GameBuild } from '../../core/catalog/game-build.ts';
import type { Headers } from '../../core/http/problem.ts';
import { HttpProblem, unavailable } from '../../core/http/problem.ts';
import type { PageContent } from './layout/page-content.ts';
import { quote, suggest } from '../../core/lib/suggest.ts';
import type { Archive } from '../../core/past-builds/archive.ts';
import { TIERS } from '../../core/plans/tiers.ts';

/** Where Pro is sold. */
export interface ProOffer {
  /** What it costs, as a text: `$5 a month`; undefined if the operator does not say. */
  price: string | undefined;
  /** Where to join, with the names of the platforms. */
  links: readonly { name: string; address: string }[];
}

/** What pages can use besides the view. */
export interface SiteServices {
  /** Returns the past builds, which the gateway opens and closes. */
  archive: () => Archive;
  pro: ProOffer;
  /** Whether visitors can get a key by mail. */
  hasSignup: boolean;
  /** Where people reach the gateway, without a path. */
  publicUrl: () => string;
  /** Returns why the gateway is not ready; undefined when it is. */
  findUnreadiness: () => Promise<string | undefined>;
}

/** What a page is made of. */
export interface Visit {
  /** What a visitor sees: the view of a free key. */
  view: View;
  /** The parameters in the path. */
  params: Readonly<Record<string, string>>;
  services: SiteServices;
}

/** A page of the site. */
export interface SitePage {
  /** With `:name` for parameters. */
  path: string;
  /** Further header fields. */
  headers?: Headers;
  /** How long it is shown unchanged, in ms, if it depends on more than the view. */
  keepMs?: number;
  /**
   * Returns the parameters that its content depends on; without it, all of them. Addresses with the same ones have one page, so that made-up
   * names do not fill the memory.
   *
   * @throws HttpProblem for what does not exist, or is not visible yet
   */
  relevantParams?(visit: Visit): Visit['params'];
  /** @throws HttpProblem for what does not exist, or is not visible yet */
  make(visit: Visit): PageContent | Promise<PageContent>;
}

/** A file for programs that a page has beside it: JSON. */
export interface SiteData {
  path: string;
  keepMs?: number;
  /** @throws HttpProblem for what does not exist, or is not visible yet */
  makeData(visit: Visit): unknown;
}

/**
 * Returns the game of a page.
 *
 * @throws HttpProblem `unknown-game`, or `unavailable` if its files are damaged
 */
export function gameOf({ view, params }: Visit): GameBuild {
  const slug = params.game ?? '';
  const game = view.games.get(slug);
  if (game) return game;
  if (isLost(view, slug)) throw unavailable('the data of this game cannot be read right now');
  const { delayHours } = TIERS.free;
  throw new HttpProblem(
    'unknown-game',
    `there is no game ${quote(slug)}${suggest(slug, [...view.games.keys()])}, or it is not public yet: a game is public ${delayHours} hours after its first build, and Pro keys see it at once`,
  );
}
