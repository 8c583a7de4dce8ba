import { verifyDist } from '../../scripts/commands/verify.ts';
import { readIndex } from '../../scripts/dist/read-dist.ts';

/** Finds what is missing or damaged in a dist/ or a published copy. */
export async function findFaults(folder: string): Promise<string[]> {
  const index = await readIndex(folder);
  return index ? [...(await verifyDist(folder, index)).faults] : ['no index'];
}
