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

interface PruneOptions {
  out: string;
  keepDays: number;
  dryRun: boolean;
}

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
    .option('--dry-run', 'show what would be removed', false)
    .addHelpText(
      'after',
      `
Readers with an old index read old files until these are pruned.

Exit code: 0 done, 1 failed, 2 wrong usage.

Examples:
  gamedata prune
  gamedata prune --keep-days 0 --dry-run`,
    )
    .action(run);
}

async function run(options: PruneOptions): Promise<void> {
  const { out } = options;
  if (!existsSync(out)) throw new CommandError(`no folder ${out}/: nothing was removed`);
  await orCommandError(
    withDistLock(out, () => prune(options)),
    (reason) => `${out}/ cannot be pruned: ${reason}`,
  );
}

async function prune({ out, keepDays, dryRun }: PruneOptions): Promise<void> {
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
  const entries = await fastGlob(['*', '*/*'], { cwd: out, followSymbolicLinks: false });
  const files = entries.filter((file) => WRITTEN.test(file));
  const limit = Date.now() - keepDays * DAY_MS;
  let removed = 0;
  let bytes = 0;
  for (const file of files.sort()) {
    if (named.has(file)) continue;
    const stats = await stat(path.join(out, file)).catch(() => undefined);
    if (stats === undefined || stats.mtimeMs > limit) continue;
    if (dryRun) process.stdout.write(`${file}\n`);
    else await rm(path.join(out, file), { force: true });
    removed += 1;
    bytes += stats.size;
  }
  process.stdout.write(
    `${countOf(removed, 'file')} ${dryRun ? 'would be removed' : 'removed'}, ${megabytes(bytes)}\n`,
  );
}

function days(text: string): number {
  const number = Number(text);
  if (text.trim() !== '' && number >= 0 && number <= 36_500) return number;
  throw new InvalidArgumentError('expected a number of days, 0 or more.');
}
