import type { BuildEntry } from '../../../scripts/format/dist-format.ts';
import type { GameBuild } from '../../catalog/game-build.ts';
import { HttpProblem } from '../../http/problem.ts';
import { quote, suggest } from '../../lib/suggest.ts';

/**
 * Finds a build that the caller may see.
 *
 * @param aliases accepted besides the names of builds
 * @throws HttpProblem `unknown-build`
 */
export function findBuild(
  { slug, builds }: GameBuild,
  name: string,
  aliases: readonly string[] = [],
): BuildEntry {
  const found = builds.find(({ build }) => build === name);
  if (found) return found;
  const near = suggest(name, [...builds.map(({ build }) => build).reverse(), ...aliases]);
  throw new HttpProblem(
    'unknown-build',
    `${slug} has no build ${quote(name)}${near}; /api/${slug}/history lists all`,
  );
}
