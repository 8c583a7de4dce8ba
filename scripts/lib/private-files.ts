import { stat } from 'node:fs/promises';
import path from 'node:path';
import { makeFolder } from './make-folder.ts';
import { replaceFile } from './replace-file.ts';

/** The owner writes, the group reads, others have no access; the umask can take more away. */
export const PRIVATE_FILE_MODE = 0o640;
const FOLDER_MODE = 0o750;

/** Makes a folder, and those above it that are missing, for data that only the owner and the group may read. */
export async function makePrivateFolder(folder: string): Promise<void> {
  await makeFolder(folder, FOLDER_MODE);
}

/** Does the same as `replaceFile`, for a file that only the owner and the group may read. */
export function replacePrivateFile(target: string, bytes: Uint8Array): Promise<void> {
  return replaceFile(target, bytes, PRIVATE_FILE_MODE);
}

/**
 * Returns whether all users of this machine can read or enter a folder: neither the folder nor one above it keeps them out.
 *
 * @returns false also for a folder that does not exist
 */
export async function canOthersRead(folder: string): Promise<boolean> {
  const mode = await modeOf(folder);
  if ((mode & 0o005) === 0) return false;
  for (let above = path.dirname(path.resolve(folder)); ; above = path.dirname(above)) {
    if (((await modeOf(above)) & 0o001) === 0) return false;
    if (above === path.dirname(above)) return true;
  }
}

async function modeOf(folder: string): Promise<number> {
  return (await stat(folder).catch(() => undefined))?.mode ?? 0;
}
