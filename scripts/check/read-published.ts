import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { INDEX_FILE, type Index, type Manifest, READ_FORMATS } from '../format/dist-format.ts';
import { indexSchema, manifestSchema } from '../format/dist-schemas.ts';
import { CommandError } from '../lib/command-error.ts';
import { isObjectStore, openTarget } from '../publish/targets.ts';
import { describePublished, type Published, type PublishedGame } from '../recorded/published-builds.ts';
import { compileSchema } from '../schemas/schema.ts';

const MAX_FETCH_MS = 30_000;
const validIndex = compileSchema<Index>(indexSchema);
const validManifest = compileSchema<Manifest>(manifestSchema);

/**
 * Reads what a dist/ publishes, to compare with all of it.
 *
 * @param place a folder, its address on a web server, or `s3://bucket/prefix`
 * @param endpoint the address of a store other than AWS
 * @throws CommandError if it cannot be read
 */
export async function readPublished(place: string, endpoint?: string): Promise<Published> {
  const readFrom = await openPlace(place, endpoint);
  const readText = async (file: string) =>
    await readFrom(file).catch((error: Error) => {
      const why = error.cause instanceof Error ? error.cause.message : error.message;
      throw new CommandError(
        `${file} of ${place} cannot be read: ${why}; --against expects a dist/ folder or its address, https://… or s3://…`,
      );
    });
  const index = parse(await readText(INDEX_FILE));
  if (!validIndex(index))
    throw new CommandError(`${place}: its ${INDEX_FILE} is not of format ${READ_FORMATS.join(' or ')}`);
  const games: Record<string, PublishedGame> = {};
  for (const { slug, manifest: ref } of index.games) {
    const text = await readText(ref.file);
    const manifest = hash('sha256', text) === ref.sha256 ? parse(text) : undefined;
    if (!validManifest(manifest)) throw new CommandError(`${place}: ${ref.file} is damaged`);
    games[slug] = describePublished(manifest);
  }
  return { games, place, isAuthority: true };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Makes the function that reads a file of dist/. It rejects if the file does not exist. */
async function openPlace(
  place: string,
  endpoint: string | undefined,
): Promise<(file: string) => Promise<string>> {
  if (isObjectStore(place)) {
    const store = await openTarget(place, endpoint);
    return async (file) => {
      const bytes = await store.read(file);
      if (bytes === undefined) throw new Error('there is no such file');
      return bytes.toString();
    };
  }
  if (!/^https?:/i.test(place)) return async (file) => await readFile(path.join(place, file), 'utf8');
  const address = place.replace(/\/+$/, '');
  return async (file) => {
    const response = await fetch(`${address}/${file}`, { signal: AbortSignal.timeout(MAX_FETCH_MS) });
    if (!response.ok) throw new Error(`the response has status ${response.status}`);
    return await response.text();
  };
}
