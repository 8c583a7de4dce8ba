import type { Catalog } from './catalog.ts';
import { DistError } from './dist-folder.ts';
import type { DistFollower } from './follow-dist.ts';

/**
 * Does work with the newest catalogue, from beginning to end. Where a file cannot be read because the catalogue is of an old state, whose
 * files may be gone, the work begins anew with the state of now.
 *
 * @param canRepeat whether the work can still begin anew
 * @throws DistError when a file of the newest state cannot be read
 */
export async function withNewest(
  follower: DistFollower,
  work: (catalog: Catalog) => Promise<void>,
  canRepeat: () => boolean,
): Promise<void> {
  let { catalog } = follower;
  for (;;) {
    try {
      await work(catalog);
      return;
    } catch (error) {
      if (!(error instanceof DistError) || !canRepeat()) throw error;
      const newest = await follower.look();
      if (newest === catalog) throw error;
      catalog = newest;
    }
  }
}
