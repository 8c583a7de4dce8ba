import type { BuildCoverage } from '../../check/coverage.ts';
import { type BuildDiff, diffBuilds } from '../../diff/diff-builds.ts';
import type { Finding } from '../../findings/findings.ts';
import type { BuildContent } from '../../format/build-content.ts';
import type { Renames } from '../../format/dist-format.ts';
import { coverBuild } from '../../steps/coverage/coverage.ts';
import { renderCoverage } from '../../steps/coverage/render-coverage.ts';
import { chooseSamples, type Sample } from './choose-samples.ts';
import { parseCollections } from './collections.ts';
import { type Distribution, findDistributions } from './distributions.ts';
import type { NewGame } from './new-game.ts';

/** What a review is made from. */
export interface ReviewInput {
  game: string;
  /** With their lines. */
  findings: readonly Finding[];
  /** What the newest build has, as the checks counted it; undefined if it could not be read. */
  coverage: BuildCoverage | undefined;
  /** The newest build; undefined if its errors keep it from being compiled. */
  after: BuildContent | undefined;
  /** The build that it is compared with; undefined for a new game. */
  before: BuildContent | undefined;
  /** Where the build before is, for people: `data/`. */
  place: string;
  /** The records that were renumbered between the two. */
  renamed: Renames;
  /** What a reader should know first, as sentences. */
  notes?: readonly string[];
  /** What a game that was not there before is; undefined for others. */
  newGame?: NewGame | undefined;
  /** Whether only what changed is shown, as for one of many builds. */
  isBrief?: boolean;
}

/** What a person needs to approve a build or a new game. */
export interface GameReview {
  game: string;
  /** The game's title; its slug if it could not be compiled. */
  title: string;
  /** The name of the build; undefined if it could not be read. */
  build: string | undefined;
  /** ISO 8601 in UTC. */
  released_at: string | undefined;
  before: { build: string; place: string } | undefined;
  notes: readonly string[];
  /** Whether it could be compiled. */
  isCompiled: boolean;
  findings: readonly Finding[];
  coverage: BuildCoverage | undefined;
  /** The same as a table for people. */
  table: string;
  /** Undefined if there is nothing to compare with. */
  diff: BuildDiff | undefined;
  distributions: Distribution[];
  samples: Sample[];
  newGame: NewGame | undefined;
}

/** Puts together the review of a game. */
export async function reviewGame({
  game,
  findings,
  coverage,
  after,
  before,
  place,
  renamed,
  notes = [],
  isBrief = false,
  newGame,
}: ReviewInput): Promise<GameReview> {
  const tableOf = (shown?: BuildCoverage) => (shown ? renderCoverage([shown], 'moved') : '');
  const known = {
    ...{ game, findings, notes, isCompiled: after !== undefined, newGame },
    before: before && { build: before.build, place },
  };
  if (after === undefined) {
    const rest = { diff: undefined, distributions: [], samples: [] };
    return {
      ...known,
      title: game,
      build: coverage?.build,
      released_at: undefined,
      coverage,
      table: tableOf(coverage),
      ...rest,
    };
  }
  const now = parseCollections(after);
  const earlier = before && parseCollections(before);
  const counted = isBrief ? undefined : coverBuild(game, now, earlier);
  const diff = before && diffBuilds(before, after, renamed);
  return {
    ...known,
    title: after.title,
    build: after.build,
    released_at: after.released_at,
    coverage: counted,
    table: tableOf(counted),
    diff,
    distributions: isBrief ? [] : findDistributions(now, earlier),
    samples: isBrief ? [] : chooseSamples(game, now, diff),
  };
}
