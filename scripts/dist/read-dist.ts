import { hash } from 'node:crypto';
import path from 'node:path';
import { type BuildContent, contentReader } from '../format/build-content.ts';
import * as dist from '../format/dist-format.ts';
import { indexSchema, manifestSchema } from '../format/dist-schemas.ts';
import { compileSchema } from '../read/schema.ts';
import { CommandError, readRegularFile } from '../system.ts';

const validIndex = compileSchema<dist.Index>(indexSchema);
const validManifest = compileSchema<dist.Manifest>(manifestSchema);

/**
 * Reads the index of a dist/ folder.
 *
 * @returns undefined if it does not exist
 * @throws CommandError if it cannot be read, or has another format
 */
export async function readIndex(folder: string): Promise<dist.Index | undefined> {
  const file = path.join(folder, dist.INDEX_FILE);
  const bytes = await readRegularFile(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new CommandError(`${file} cannot be read: ${error.message}`);
  });
  if (bytes === undefined) return undefined;
  const index = parseIndex(bytes.toString());
  if (index === undefined) throw new CommandError(`${file} is not of format ${dist.FORMAT}`);
  return index;
}

/** @throws CommandError if there is no index */
export async function needIndex(folder: string): Promise<dist.Index> {
  const index = await readIndex(folder);
  if (index === undefined) throw new CommandError(`no ${folder}/${dist.INDEX_FILE}: run gamedata build`);
  return index;
}

/** @returns the manifest; undefined if its file is missing or damaged */
export async function readManifest(folder: string, ref: dist.FileRef): Promise<dist.Manifest | undefined> {
  const bytes = await readWhole(folder, ref);
  return bytes && parseManifest(bytes.toString());
}

/** @returns undefined if the manifest does not exist or cannot be read */
export async function readManifestOf(folder: string, slug: string): Promise<dist.Manifest | undefined> {
  const index = await readIndex(folder).catch(() => undefined);
  const ref = index?.games.find((game) => game.slug === slug)?.manifest;
  return ref && (await readManifest(folder, ref));
}

/** @returns a file's bytes; undefined if it is missing or its SHA-256 does not match its reference */
async function readWhole(
  folder: string,
  { file, sha256 }: Pick<dist.FileRef, 'file' | 'sha256'>,
): Promise<Buffer | undefined> {
  const bytes = await readRegularFile(path.join(folder, file)).catch(() => undefined);
  const whole = bytes && hash('sha256', bytes) === sha256;
  return whole ? bytes : undefined;
}

/** The error about a file of dist/ that is missing, or does not match its reference. */
export function damagedFile(folder: string, { file }: dist.FileRef): CommandError {
  return new CommandError(
    `${folder}/${file} is missing or damaged: delete it and run gamedata build`,
    1,
    'damaged',
  );
}

/** @throws CommandError with the code `damaged` */
export async function readSound(folder: string, ref: dist.FileRef): Promise<Buffer> {
  const bytes = await readWhole(folder, ref);
  if (bytes === undefined) throw damagedFile(folder, ref);
  return bytes;
}

/** Reads builds of a game from dist/, like `contentReader`. The reader rejects with the code `damaged` if a file is missing or damaged. */
export function distReader(
  folder: string,
  game: Pick<dist.Manifest, 'slug' | 'title'>,
): (entry: dist.BuildEntry) => Promise<BuildContent> {
  return contentReader(game, (ref) => readSound(folder, ref));
}

/** @returns the content of a build in dist/; undefined if a file is missing or damaged */
export async function readBuild(
  folder: string,
  game: Pick<dist.Manifest, 'slug' | 'title'>,
  entry: dist.BuildEntry,
): Promise<BuildContent | undefined> {
  const read = distReader(folder, game);
  return await read(entry).catch((error: unknown) => {
    if (error instanceof CommandError && error.code === 'damaged') return undefined;
    throw error;
  });
}

/** Lists the files that an index and its manifests reference, by path. A damaged manifest references none. */
export async function readNamedFiles(
  folder: string,
  games: readonly { manifest: dist.FileRef }[],
): Promise<Map<string, dist.FileRef>> {
  const named = new Map<string, dist.FileRef>();
  for (const { manifest: ref } of games) {
    const manifest = await readManifest(folder, ref);
    for (const fileRef of [ref, ...(manifest?.builds ?? []).flatMap(dist.filesOf)])
      named.set(fileRef.file, fileRef);
  }
  return named;
}

/** @returns undefined if it is no index of a format that can be read */
export function parseIndex(text: string): dist.Index | undefined {
  const index = parse(text);
  return validIndex(index) ? index : undefined;
}

/** @returns undefined if it is no manifest of a format that can be read */
export function parseManifest(text: string): dist.Manifest | undefined {
  const manifest = parse(text);
  return validManifest(manifest) ? manifest : undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
