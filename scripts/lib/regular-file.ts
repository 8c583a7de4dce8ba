import { constants } from 'node:fs';
import { type FileHandle, lstat, open } from 'node:fs/promises';

/**
 * Opens a file to read it. Anything else than a regular file is refused: a pipe or a device might never end.
 *
 * @throws Error of the operating system; with the code EINVAL when it is not a regular file
 */
export async function openRegularFile(file: string): Promise<FileHandle> {
  // Without this flag, opening a pipe waits for a writer.
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
  if ((await handle.stat()).isFile()) return handle;
  await handle.close();
  throw Object.assign(new Error(`EINVAL: it is not a regular file, open '${file}'`), {
    code: 'EINVAL',
    syscall: 'open',
    path: file,
  });
}

/** Reads a regular file. @throws Error like `openRegularFile` */
export async function readRegularFile(file: string): Promise<Buffer> {
  const handle = await openRegularFile(file);
  try {
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

/** Whether a file does not exist. One that cannot be looked at counts as existing: reading it says why. */
export async function isAbsent(file: string): Promise<boolean> {
  const code = await lstat(file).catch((error: NodeJS.ErrnoException) => error.code);
  return code === 'ENOENT';
}
