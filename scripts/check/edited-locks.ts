import { ownValue } from '../format/dist-format.ts';
import path from 'node:path';
import type { GamePlan } from '../dist/plan.ts';
import type { Finding } from '../findings/findings.ts';
import { pointerTo } from '../lib/json-pointer.ts';
import { isSame, lockFileOf, readBuildsLock } from '../recorded/builds-lock.ts';
import { isDeclared, type Published } from '../recorded/published-builds.ts';

/**
 * Finds entries of builds.lock.json that were edited or removed although their builds are as they were: whoever merges such a change could change
 * these builds next without an error. A changed build is a finding of its own.
 *
 * @param data the folder with the game folders
 * @param now ms since 1970
 */
export async function findEditedLocks(
  { games, place }: Published,
  data: string,
  plans: readonly GamePlan[],
  now: number,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const plan of plans) {
    const folder = path.posix.join(data, plan.slug);
    const game = ownValue(games, plan.slug);
    const lock = await readBuildsLock(folder);
    // A lock that cannot be read is a finding of the compiler.
    if (game === undefined || 'findings' in lock) continue;
    for (const [build, recorded] of Object.entries(game.builds)) {
      const entry = plan.entries.find((each) => each.build === build);
      const isPast = Date.parse(recorded.released_at) <= now && !isDeclared(plan, game, build);
      if (!isPast || entry === undefined || !isSame(recorded, entry)) continue;
      const entryAfter = ownValue(lock.value, build);
      if (entryAfter && isSame(entryAfter, entry)) continue;
      const found = entryAfter ? 'another entry than before' : 'no entry any more';
      const file = lockFileOf(folder);
      findings.push({
        check: 'recorded-build',
        severity: 'error',
        place: { file, pointer: entryAfter ? pointerTo('/builds', build) : '', line: 1 },
        found: `${found} of the released build ${build}`,
        expected: `the entry as in ${place}: only gamedata build changes it, with --amend`,
        fix: `take ${file} from there; if the build has to be corrected, run gamedata build --amend "<why>"`,
      });
    }
  }
  return findings;
}
