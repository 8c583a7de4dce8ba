import { rename, rm, writeFile } from 'node:fs/promises';

/**
 * Writes beside the target, syncs, renames: the target is never seen half-written. Ours, because write-file-atomic and atomically
 * write once only: on a full disk they put a cut file in place and report success (test/scripts/lib/replace-file.test.ts).
 */
export async function replaceFile(target: string, bytes: Uint8Array): Promise<void> {
  const beside = `${target}.${process.pid}.tmp`;
  try {
    await writeFile(beside, bytes, { mode: 0o644, flush: true });
    await rename(beside, target);
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
}
