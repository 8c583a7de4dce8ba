import { patchBuilds } from '../../scripts/diff/diff-builds.ts';
import { diffGame, readContext } from '../../scripts/diff/fold.ts';
import { contentReader } from '../../scripts/format/build-content.ts';
import type { BuildEntry, FileRef, GameDescription, Renames } from '../../scripts/format/dist-format.ts';
import { DistError, readDistFile } from './dist-files.ts';

/** The form of a diff: that of the API, or a JSON Patch (RFC 6902). */
export type DiffForm = 'diff' | 'patch';

/** Two builds of a game to compare. */
export interface DiffTask {
  /** The dist/ folder. */
  folder: string;
  slug: string;
  facts: GameDescription;
  from: BuildEntry;
  to: BuildEntry;
  form: DiffForm;
  /** The records whose ids are different in `to`. */
  renamed: Renames;
}

/** The diff as JSON, or the message of a DistError: errors lose their class between processes. */
export type DiffOutcome = { json: Uint8Array<ArrayBuffer> } | { damage: string };

/** Computes a diff. Files that both builds reference are read only once. */
export default async function computeDiff(task: DiffTask): Promise<DiffOutcome> {
  const { folder, slug, facts, from, to, form } = task;
  const readFile = (ref: FileRef) => readDistFile(folder, ref);
  const read = contentReader({ slug, title: facts.title }, readFile);
  try {
    const before = await read(from);
    const after = await read(to);
    if (form === 'patch') return encode(patchBuilds(before, after));
    return encode(diffGame(before, after, task.renamed, await readContext(facts, to, readFile)));
  } catch (error) {
    if (error instanceof DistError) return { damage: error.message };
    throw error;
  }
}

function encode(value: object): DiffOutcome {
  return { json: new TextEncoder().encode(JSON.stringify(value)) };
}
