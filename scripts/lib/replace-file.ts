import { randomBytes } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';

/** What `replaceFile` appends to the name of its temporary file, as the source of a regular expression. Older versions appended a process number. */
export const TEMPORARY_SUFFIX = String.raw`\.[0-9a-f]+\.tmp`;

/**
 * Replaces a file atomically: writes a temporary file next to it, syncs it, and renames it. The packages write-file-atomic and atomically
 * do not check for short writes: on a full disk they leave a truncated file and report success (test/scripts/lib/replace-file.process.test.ts).
 *
 * @param mode the permissions, from which the umask takes some away
 */
export async function replaceFile(target: string, bytes: Uint8Array, mode = 0o644): Promise<void> {
  // Not the process number: in containers many processes have the same.
  const temporary = `${target}.${randomBytes(8).toString('hex')}.tmp`;
  try {
    await writeFile(temporary, bytes, { mode, flush: true, flag: 'wx' });
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
