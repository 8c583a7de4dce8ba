import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { CommandError } from '../../../core/lib/command-error.ts';
import { BlobStream } from '../pull/blob-stream.ts';
import { GitError, runGit, streamGit } from '../pull/git.ts';
import { isPlain } from '../pull/upstream-files.ts';

const REGULAR_FILE = /^100(?:644|755) blob ([0-9a-f]+)\t(.+)$/s;

/** The git repository that holds the data folder, at one commit. */
export interface DataAtRef {
  /** The repository's own folder, usually `.git`. */
  repository: string;
  commit: string;
  /** The path of the data folder in the repository: `data/`. */
  prefix: string;
}

/**
 * Finds the commit that a ref names in the repository that holds the data folder.
 *
 * @throws CommandError if there is no such repository or commit
 */
export async function openDataAtRef(data: string, ref: string): Promise<DataAtRef> {
  // git finds the repository from the folder.
  const env = { GIT_DIR: undefined };
  try {
    const found = await runGit(data, ['rev-parse', '--absolute-git-dir', '--show-prefix'], { env });
    const [repository = '', prefix = ''] = found.split('\n');
    const named = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`];
    return { repository, prefix, commit: (await runGit(repository, named)).trim() };
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    throw new CommandError(
      `${ref} is not a commit of the git repository that holds ${data}/ (${error.message}): expected dist, or a branch, tag or commit`,
      2,
    );
  }
}

/**
 * Copies a game's folder as it was.
 *
 * @param target an empty folder
 * @returns whether the game was there
 */
export async function copyGameAtRef(
  { repository, commit, prefix }: DataAtRef,
  slug: string,
  target: string,
): Promise<boolean> {
  const folder = `${prefix}${slug}/`;
  const printed = await runGit(repository, ['ls-tree', '-r', '-z', '--full-tree', commit, '--', folder]);
  const targets = new Map<string, string[]>();
  for (const line of printed.split('\0')) {
    const [, blob, file] = REGULAR_FILE.exec(line) ?? [];
    const name = file?.slice(folder.length);
    // A tree that was not made by git itself can have paths that lead out of it.
    if (blob === undefined || name === undefined || !isPlain(name)) continue;
    targets.set(blob, [...(targets.get(blob) ?? []), name]);
  }
  const stream = new BlobStream((blob, content) => {
    for (const file of targets.get(blob) ?? []) {
      const full = path.join(target, file);
      mkdirSync(path.dirname(full), { recursive: true });
      writeFileSync(full, content);
    }
  });
  const input = [...targets.keys()].map((blob) => `${blob}\n`).join('');
  if (input !== '')
    await streamGit(repository, ['cat-file', '--batch'], (chunk) => stream.add(chunk), { input });
  return targets.size > 0;
}
