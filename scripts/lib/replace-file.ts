import { rename, rm, writeFile } from 'node:fs/promises';

/**
 * Replaces a file atomically: writes a temporary file next to it, syncs it, and renames it. The packages write-file-atomic and atomically
 * do not check for short writes: on a full disk they leave a truncated file and report success (test/scripts/lib/replace-file.process.test.ts).
 */
export async function replaceFile(target: string, bytes: Uint8Array): Promise<void> {
  const temporary = `${target}.${process.pid}.tmp`;
  try {
    await writeFile(temporary, bytes, { mode: 0o644, flush: true });
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
