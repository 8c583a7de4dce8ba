import path from 'node:path';
import type { CompiledBuild } from '../compile/compile-build.ts';
import type { Finding } from '../findings/findings.ts';
import type { Renumbered } from './renumbered.ts';

/** More pairs are not readable on a terminal. */
const MAX_PAIRS = 20;

/** The advice to record other ids in build.json: the pairs, ready to paste; of many pairs, the command that writes them to a file. */
export function proposeRenamed(
  { source }: CompiledBuild,
  list: string,
  pairs: readonly Renumbered[],
): Required<Pick<Finding, 'fix' | 'build' | 'renamed'>> {
  const { build, folder } = source;
  const renamed = { [list]: Object.fromEntries(pairs.map(({ from, to }) => [from, to])) };
  const slug = path.posix.basename(path.posix.dirname(folder));
  const todo =
    pairs.length > MAX_PAIRS
      ? `run gamedata renumber ${slug} ${build}, which writes all ${pairs.length} pairs of ids to a file`
      : `add "renamed": ${JSON.stringify(renamed)} to ${folder}/build.json, or run gamedata renumber ${slug} ${build}`;
  return { fix: `if these are the same records, ${todo}`, build, renamed };
}
