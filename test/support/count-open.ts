import { readdir, readlink } from 'node:fs/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { until } from './until.ts';

/** How many files below a folder this process has open. */
export async function countOpen(folder: string): Promise<number> {
  const links = (await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => ''));
  return (await Promise.all(links)).filter((link) => link.startsWith(folder)).length;
}

/** Waits until this process has no file below a folder open. A closed database keeps its files until its statements are garbage. */
export async function untilReleased(folder: string): Promise<void> {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  await until(async () => {
    collectGarbage();
    return (await countOpen(folder)) === 0;
  });
}
