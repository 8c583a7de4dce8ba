import { open, rename, rm } from 'node:fs/promises';

/** Writes beside the target, syncs, renames: the target is never seen half-written. */
export async function replaceFile(target: string, bytes: Uint8Array): Promise<void> {
  const beside = `${target}.${process.pid}.tmp`;
  try {
    const handle = await open(beside, 'w', 0o644);
    try {
      await handle.writeFile(bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(beside, target);
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
}
