import { orElse } from '../lib/and-then.ts';
import { UnpreparedError } from '../lib/part.ts';
import { withPayer } from '../lib/work.ts';
import type { Catalog } from './catalog.ts';
import { DistError } from './dist-folder.ts';
import type { DistFollower } from './follow-dist.ts';

/**
 * Does work with the newest catalog. The catalog can become an old state, whose files may be gone. If a file cannot be read for this
 * reason, the work starts again with the current state. It also starts again when a part of a list that was missing has been prepared.
 *
 * @param canRepeat returns whether the work can still start again
 * @throws DistError when a file of the newest state cannot be read
 */
export function withNewest(
  follower: DistFollower,
  work: (catalog: Catalog) => void | Promise<void>,
  canRepeat: () => boolean,
): void | Promise<void> {
  const { catalog } = follower;
  return orElse(
    () => work(catalog),
    async (error) => {
      if (!canRepeat()) throw error;
      const tryAgain = withPayer(() => withNewest(follower, work, canRepeat));
      if (error instanceof UnpreparedError) await error.part.prepare();
      else if (!(error instanceof DistError)) throw error;
      else if ((await follower.look()) === catalog) throw error;
      return await tryAgain();
    },
  );
}
