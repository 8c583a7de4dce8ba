import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { FORMAT, INDEX_FILE, type Index, type Manifest } from '../format/dist-format.ts';
import { indexSchema, manifestSchema } from '../format/dist-schemas.ts';
import { CommandError } from '../lib/command-error.ts';
import { compileSchema } from '../schemas/schema.ts';
import { describePublished, type Published, type PublishedGame } from './published-builds.ts';

const MAX_FETCH_MS = 30_000;
const validIndex = compileSchema(indexSchema);
const validManifest = compileSchema(manifestSchema);

/**
 * Reads what a dist/ publishes, to compare with all of it.
 *
 * @param place a folder, or its address on a web server
 * @throws CommandError if it cannot be read
 */
export async function readPublished(place: string): Promise<Published> {
  const index = parse(await readText(place, INDEX_FILE)) as Index;
  if (!validIndex(index)) throw new CommandError(`${place}: its ${INDEX_FILE} is not of format ${FORMAT}`);
  const games: Record<string, PublishedGame> = {};
  for (const { slug, manifest: ref } of index.games) {
    const text = await readText(place, ref.file);
    const manifest = hash('sha256', text) === ref.sha256 ? (parse(text) as Manifest) : undefined;
    if (!validManifest(manifest) || !manifest) throw new CommandError(`${place}: ${ref.file} is damaged`);
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

async function readText(place: string, file: string): Promise<string> {
  try {
    if (!/^https?:/i.test(place)) return await readFile(path.join(place, file), 'utf8');
    const response = await fetch(`${place.replace(/\/+$/, '')}/${file}`, {
      signal: AbortSignal.timeout(MAX_FETCH_MS),
    });
    if (!response.ok) throw new Error(`the response has status ${response.status}`);
    return await response.text();
  } catch (error) {
    const { message, cause } = error as Error;
    const why = cause instanceof Error ? cause.message : message;
    throw new CommandError(
      `${file} of ${place} cannot be read: ${why}; --against expects a dist/ folder or its address, https://…`,
    );
  }
}
