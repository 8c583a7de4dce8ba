import { readdir, readlink } from 'node:fs/promises';

/** How many files below a folder this process has open. */
export async function countOpen(folder: string): Promise<number> {
  const links = (await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => ''));
  return (await Promise.all(links)).filter((link) => link.startsWith(folder)).length;
}
