import { access, mkdir } from 'node:fs/promises';
import path from 'node:path';

/**
 * Makes a folder, and those above it that are missing. The recursive `mkdir` of Node.js reports a full or read-only disk as ENOENT, so the
 * first folder that is missing is then tried alone, which gives the reason.
 *
 * @param mode the permissions of the new folders, less the umask
 */
export async function makeFolder(folder: string, mode = 0o777): Promise<void> {
  await mkdir(folder, { recursive: true, mode }).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    await mkdir(await firstMissing(path.resolve(folder)), mode);
    // What was missing was removed by another process meanwhile.
    await mkdir(folder, { recursive: true, mode });
  });
}

async function firstMissing(folder: string): Promise<string> {
  const above = path.dirname(folder);
  const isThere = await access(above).then(
    () => true,
    () => false,
  );
  return isThere || above === folder ? folder : await firstMissing(above);
}
