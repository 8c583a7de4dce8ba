import type { CompiledBuild } from '../../compile/compile-build.ts';
import type { Renumbered } from './renumbered.ts';

/** More pairs are not readable on a terminal. */
const MAX_PAIRS = 20;

/** The advice to record other ids in build.json, ready to paste. Longer lists are whole in the JSON form of the finding only. */
export function proposeRenamed(
  { source }: CompiledBuild,
  list: string,
  pairs: readonly Renumbered[],
): string {
  const text = JSON.stringify({ [list]: toMembers(pairs.slice(0, MAX_PAIRS)) });
  const more = pairs.length - MAX_PAIRS;
  const all =
    more > 0
      ? ` and ${more} more, which "renamed" of this finding has in \`gamedata check --format json\``
      : '';
  return `if these are the same records, add "renamed": ${text}${all} to ${source.folder}/build.json`;
}

/** The pairs as members of an object: the old id and the new one. */
export function toMembers(pairs: readonly Renumbered[]): Record<string, string> {
  return Object.fromEntries(pairs.map(({ from, to }) => [from, to]));
}
