import { existsSync } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import fastGlob from 'fast-glob';
import { withDistLock } from '../dist/lock.ts';
import { readIndex, readManifest, readNamedFiles } from '../dist/read-dist.ts';
import { FILE_EXTENSION, INDEX_FILE } from '../format/dist-format.ts';
import { CommandError, orCommandError, TEMPORARY_SUFFIX } from '../system.ts';
import { countOf, megabytes } from '../text.ts';

const DAY_MS = 86_400_000;
/** The files that a build writes, and the temporary files of a killed build. Other files are never removed. */
const WRITTEN = new RegExp(
  String.raw`^(?:[^/]+/[a-z0-9_.]+\.[0-9a-f]{32}\.${FILE_EXTENSION}(?:${TEMPORARY_SUFFIX})?|index\.json${TEMPORARY_SUFFIX})$`,
);

/** `gamedata prune`. */
export function pruneCommand(): Command {
  return new Command('prune')
    .description('remove files of dist/ that its index has not named for some days')
    .option('--out <folder>', 'the folder with the compiled files', 'dist')
    .option('--keep-days <days>', 'how long to keep a file that the index no longer names', days, 7)
    .addHelpText(
      'after',
      `
Readers with an old index read old files until these are pruned.

Exit code: 0 done, 1 failed, 2 wrong usage.

Example:
  gamedata prune --keep-days 30`,
    )
    .action(async ({ out, keepDays }: { out: string; keepDays: number }) => {
      if (!existsSync(out)) throw new CommandError(`no folder ${out}/: nothing was removed`);
      const work = withDistLock(out, () => prune(out, Date.now() - keepDays * DAY_MS));
      await orCommandError(work, (reason) => `${out}/ cannot be pruned: ${reason}`);
    });
}

/** @param before ms since 1970: newer files are kept */
async function prune(out: string, before: number): Promise<void> {
  const index = await readIndex(out);
  if (index === undefined) throw new CommandError(`no ${out}/${INDEX_FILE}: nothing was removed`);
  for (const { slug, manifest } of index.games) {
    // Files that an unreadable manifest references must not be removed.
    if (await readManifest(out, manifest)) continue;
    throw new CommandError(
      `the manifest of ${slug} is missing or damaged: nothing was removed; run gamedata build`,
    );
  }
  const named = await readNamedFiles(out, index.games);
  const files = await fastGlob(['*', '*/*'], { cwd: out, followSymbolicLinks: false });
  let [removed, bytes] = [0, 0];
  for (const file of files.filter((each) => WRITTEN.test(each) && !named.has(each))) {
    const stats = await stat(path.join(out, file)).catch(() => undefined);
    if (stats === undefined || stats.mtimeMs > before) continue;
    await rm(path.join(out, file), { force: true });
    removed += 1;
    bytes += stats.size;
  }
  process.stdout.write(`${countOf(removed, 'file')} removed, ${megabytes(bytes)}\n`);
}

function days(text: string): number {
  const number = Number(text);
  if (text.trim() !== '' && number >= 0 && number <= 36_500) return number;
  throw new InvalidArgumentError('expected a number of days, 0 or more.');
}
