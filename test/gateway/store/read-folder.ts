import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

/** Reads all bytes of all files in a folder and its subfolders. */
export async function readFolder(folder: string): Promise<Buffer> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return Buffer.concat(
    await Promise.all(files.map(({ parentPath, name }) => readFile(path.join(parentPath, name)))),
  );
}
