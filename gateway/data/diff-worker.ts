import { diffBuilds, patchBuilds } from '../../scripts/diff/diff-builds.ts';
import { contentReader } from '../../scripts/format/build-content.ts';
import type { BuildEntry, Renames } from '../../scripts/format/dist-format.ts';
import { DistError, readDistFile } from './dist-files.ts';

/** The forms of a diff: the contract's own, and a JSON Patch (RFC 6902). */
export type DiffForm = 'diff' | 'patch';

/** Two builds of a game for a worker to compare. */
export interface DiffTask {
  /** The dist/ folder. */
  folder: string;
  slug: string;
  title: string;
  from: BuildEntry;
  to: BuildEntry;
  form: DiffForm;
  /** The records that have other ids in `to`. */
  renamed: Renames;
}

/** The diff as JSON, or the message of the DistError that prevented it: errors lose their class between processes. */
export type DiffOutcome = { json: Uint8Array<ArrayBuffer> } | { damage: string };

/** Computes a diff. Files that both builds reference are read once. */
export default async function computeDiff(task: DiffTask): Promise<DiffOutcome> {
  const { folder, slug, title, from, to, form } = task;
  const read = contentReader({ slug, title }, (ref) => readDistFile(folder, ref));
  try {
    const before = await read(from);
    const after = await read(to);
    const value = form === 'diff' ? diffBuilds(before, after, task.renamed) : patchBuilds(before, after);
    return { json: new TextEncoder().encode(JSON.stringify(value)) };
  } catch (error) {
    if (error instanceof DistError) return { damage: error.message };
    throw error;
  }
}
