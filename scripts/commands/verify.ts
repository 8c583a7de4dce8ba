import { hash } from 'node:crypto';
import path from 'node:path';
import { Command } from 'commander';
import { readIndex, readManifest } from '../dist/read-dist.ts';
import { type FileRef, filesOf, INDEX_FILE, type Index } from '../format/dist-format.ts';
import { CommandError, readRegularFile } from '../system.ts';
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
      const index = await readIndex(out);
      if (index === undefined) throw new CommandError(`no ${out}/${INDEX_FILE}: run gamedata build`);
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
