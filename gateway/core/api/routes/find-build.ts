import type { BuildEntry } from '../../../../scripts/core/format/dist-format.ts';
import type { GameBuild } from '../../catalog/game-build.ts';
import type { View } from '../../catalog/view.ts';
import { HttpProblem, unavailable } from '../../http/problem.ts';
import { quote, suggest } from '../../lib/suggest.ts';

/** Names the newest build that the caller may see. No build has this name. */
const LATEST = 'latest';

/**
 * Finds a build that the caller may see, by its name or as `latest`.
 *
 * @throws HttpProblem `unknown-build`, or `unavailable` if newer builds are damaged
 */
export function findBuild({ behind }: View, { slug, builds }: GameBuild, name: string): BuildEntry {
  const match = name === LATEST ? builds.at(-1) : builds.find(({ build }) => build === name);
  if (match) return match;
  if (behind.has(slug)) throw unavailable('the newest build of this game cannot be read right now');
  const near = suggest(name, [...builds.map(({ build }) => build).reverse(), LATEST]);
  throw new HttpProblem(
    'unknown-build',
    `${slug} has no build ${quote(name)}${near}; /api/${slug}/history lists all`,
  );
}
