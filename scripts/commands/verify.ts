import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import fastGlob from 'fast-glob';
import { withDistLock } from '../dist/lock.ts';
import { needIndex, readManifest } from '../dist/read-dist.ts';
import { type FileRef, filesOf, type Index } from '../format/dist-format.ts';
import { GAME_FILE } from '../publish/targets.ts';
import { CommandError, readRegularFile, TEMPORARY_SUFFIX } from '../system.ts';
import { countOf, megabytes } from '../text.ts';

/** `gamedata verify`. */
export function verifyCommand(): Command {
  return new Command('verify')
    .description('hash every file of dist/, and compare with its index')
    .option('--out <folder>', 'the folder with the compiled files', 'dist')
    .addHelpText(
      'after',
      `
Exit code: 0 no faults, 1 a file is missing or damaged, 2 wrong usage.

Example:
  gamedata verify --out /srv/dist`,
    )
    .action(async ({ out }: { out: string }) => {
      const index = await needIndex(out);
      const { files, bytes, faults } = await verifyDist(out, index);
      for (const fault of faults) process.stderr.write(`${fault}\n`);
      if (faults.length > 0)
        throw new CommandError(
          `${countOf(faults.length, 'fault')} in ${out}/: delete the damaged files and run gamedata build`,
        );
      const parts = [countOf(index.games.length, 'game'), countOf(files, 'file'), megabytes(bytes)];
      process.stdout.write(`${parts.join(', ')}: no faults\n`);
    });
}

/** Compares the SHA-256 of every file that the index references. @returns faults with one line of text each */
export async function verifyDist(
  folder: string,
  { games }: Index,
): Promise<{ files: number; bytes: number; faults: string[] }> {
  const sizes = new Map<string, number>();
  const faults: string[] = [];
  const verify = async ({ file, bytes, sha256 }: FileRef): Promise<void> => {
    if (sizes.has(file)) return;
    const content = await readRegularFile(path.join(folder, file)).catch(() => undefined);
    sizes.set(file, content?.length ?? 0);
    if (content === undefined) faults.push(`${file} is missing`);
    else if (content.length !== bytes) faults.push(`${file} has ${content.length} bytes, expected ${bytes}`);
    else if (hash('sha256', content) !== sha256) faults.push(`${file} is damaged: its SHA-256 differs`);
  };
  for (const { slug, manifest: ref } of games) {
    await verify(ref);
    const manifest = await readManifest(folder, ref);
    if (manifest === undefined) faults.push(`${ref.file} cannot be used as the manifest of ${slug}`);
    for (const file of manifest?.builds.flatMap(filesOf) ?? []) await verify(file);
  }
  const bytes = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  return { files: sizes.size, bytes, faults };
}

const DAY_MS = 86_400_000;
/** The files that a build writes, and the temporary files of a killed build. Other files are never removed. */
const WRITTEN = new RegExp(`${GAME_FILE.source}|^index\\.json${TEMPORARY_SUFFIX}$`);

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
      await withDistLock(out, () => prune(out, Date.now() - keepDays * DAY_MS));
    });
}

/** @param before ms since 1970: newer files are kept */
async function prune(out: string, before: number): Promise<void> {
  const named = new Set<string>();
  for (const { slug, manifest: ref } of (await needIndex(out)).games) {
    const manifest = await readManifest(out, ref);
    // Files that an unreadable manifest references must not be removed.
    if (manifest === undefined)
      throw new CommandError(
        `the manifest of ${slug} is missing or damaged: nothing was removed; run gamedata build`,
      );
    for (const { file } of [ref, ...manifest.builds.flatMap(filesOf)]) named.add(file);
  }
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
