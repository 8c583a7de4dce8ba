import { hash } from 'node:crypto';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip } from 'node:zlib';
import { Command } from 'commander';
import { readIndex, readManifest, readSound } from '../dist/read-dist.ts';
import { listReader } from '../format/build-content.ts';
import {
  type BuildEntry,
  type CompressedRef,
  downloadsOf,
  type FileRef,
  filesOf,
  INDEX_FILE,
  type Index,
} from '../format/dist-format.ts';
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
    .action(({ out }: { out: string }) => verify(out));
}

async function verify(out: string): Promise<void> {
  const index = await readIndex(out);
  if (index === undefined) throw new CommandError(`no ${out}/${INDEX_FILE}: run gamedata build`);
  const { files, bytes, faults } = await verifyDist(out, index);
  for (const fault of faults) process.stderr.write(`${fault}\n`);
  if (faults.length > 0) {
    throw new CommandError(
      `${countOf(faults.length, 'fault')} in ${out}/: delete the damaged files and run gamedata build`,
    );
  }
  const parts = [countOf(index.games.length, 'game'), countOf(files, 'file'), megabytes(bytes)];
  process.stdout.write(`${parts.join(', ')}: no faults\n`);
}

/** The state of the files that an index references. */
interface Verified {
  files: number;
  bytes: number;
  /** One line of text per fault. */
  faults: string[];
}

/** Compares the SHA-256 of every file that the index references. A compressed file must also decompress to the plain one. */
export async function verifyDist(folder: string, { games }: Index): Promise<Verified> {
  const sizes = new Map<string, number>();
  const faults: string[] = [];
  const verify = async (ref: FileRef): Promise<Buffer | undefined> => {
    if (sizes.has(ref.file)) return undefined;
    const content = await readRegularFile(path.join(folder, ref.file)).catch(() => undefined);
    sizes.set(ref.file, content?.length ?? 0);
    const fault = findFault(ref, content);
    if (fault !== undefined) faults.push(`${ref.file} ${fault}`);
    return fault === undefined ? content : undefined;
  };
  for (const { slug, manifest: ref } of games) {
    await verify(ref);
    const manifest = await readManifest(folder, ref);
    if (manifest === undefined) faults.push(`${ref.file} cannot be used as the manifest of ${slug}`);
    for (const entry of manifest?.builds ?? []) {
      for (const ref of downloadsOf(entry)) {
        if (!('gzip' in ref)) continue;
        const compressed = [await verify(ref.gzip), await verify(ref.brotli)];
        faults.push(...(await findWrongCompression(ref, compressed)));
      }
      for (const file of filesOf(entry)) await verify(file);
      faults.push(...(await findWrongLists(folder, entry)));
    }
  }
  const bytes = [...sizes.values()].reduce((sum, size) => sum + size, 0);
  return { files: sizes.size, bytes, faults };
}

/** Except for its roster, the lists of a past build are in its snapshot. */
async function findWrongLists(folder: string, entry: BuildEntry): Promise<string[]> {
  if (!entry.in_snapshot) return [];
  const read = listReader(entry, (ref) => readSound(folder, ref));
  const faults: string[] = [];
  const roster = entry.roster.gzip ? [entry.roster] : [];
  for (const ref of [...roster, entry.characters, ...entry.datasets]) {
    const content = await read(ref).catch(() => undefined);
    // An unreadable file is already a fault.
    if (content === undefined) continue;
    const { gzip = entry.snapshot.gzip } = ref === entry.roster ? entry.roster : {};
    if (findFault(ref, content)) faults.push(`${gzip.file} does not hold ${ref.file}`);
  }
  return faults;
}

function findFault({ bytes, sha256 }: FileRef, content: Buffer | undefined): string | undefined {
  if (content === undefined) return 'is missing';
  if (content.length !== bytes) return `has ${content.length} bytes, expected ${bytes}`;
  return hash('sha256', content) === sha256 ? undefined : 'is damaged: its SHA-256 differs';
}

async function findWrongCompression(
  { file: plainFile, sha256, gzip, brotli }: CompressedRef,
  [gzipped, brotlied]: (Buffer | undefined)[],
): Promise<string[]> {
  const ways = [
    { file: gzip.file, content: gzipped, decompress: promisify(gunzip) },
    { file: brotli.file, content: brotlied, decompress: promisify(brotliDecompress) },
  ];
  const faults: string[] = [];
  for (const { file, content, decompress } of ways) {
    if (content === undefined) continue;
    const plain = await decompress(content).catch(() => undefined);
    if (plain === undefined || hash('sha256', plain) !== sha256)
      faults.push(`${file} does not hold ${plainFile}`);
  }
  return faults;
}
