import { lstatSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { CommandError } from '../lib/command-error.ts';
import { BlobStream, whole } from './blob-stream.ts';
import { GitError, runGit, streamGit } from './git.ts';

const REGULAR_FILE = /^100(?:644|755) blob ([0-9a-f]+)\t(.+)$/s;
/** A tree that was not made by git itself can have paths that lead out of it. */
const UNSAFE = /(^|\/)\.|^\/|\/\/|\\|\p{Cc}/u;

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
 * @param expected what else the caller could have named, for the message
 * @throws CommandError if there is no such repository or commit
 */
export async function openDataAtRef(data: string, ref: string, expected = 'dist'): Promise<DataAtRef> {
  // Behind a link, git would look for the games of the commit in another folder, and find none.
  if (lstatSync(data, { throwIfNoEntry: false })?.isSymbolicLink())
    throw new CommandError(
      `${data} is a link, so it cannot be compared with ${ref}: name the folder itself`,
      2,
    );
  // git finds the repository from the folder.
  const env = { GIT_DIR: undefined };
  try {
    const gitFolders = await runGit(data, ['rev-parse', '--absolute-git-dir', '--show-prefix'], { env });
    const [repository = '', prefix = ''] = gitFolders.split('\n');
    const named = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`];
    return { repository, prefix, commit: (await runGit(repository, named)).trim() };
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    throw new CommandError(
      `${ref} is not a commit of the git repository that holds ${data}/ (${error.message}): expected ${expected}, or a branch, tag or commit`,
      2,
    );
  }
}

/**
 * Reads files as they were.
 *
 * @param below a folder below the data folder, with a slash at its end; `''` for all
 * @param wanted says which files are read, by their paths below that folder
 * @param take gets the content of each
 */
export async function readAtRef(
  { repository, commit, prefix }: DataAtRef,
  below: string,
  wanted: (file: string) => boolean,
  take: (file: string, content: Buffer) => void,
): Promise<number> {
  const folder = `${prefix}${below}`;
  const paths = folder === '' ? [] : ['--', folder];
  const printed = await runGit(repository, ['ls-tree', '-r', '-z', '--full-tree', commit, ...paths]);
  const files = new Map<string, string[]>();
  for (const line of printed.split('\0')) {
    const [, blob, file] = REGULAR_FILE.exec(line) ?? [];
    const name = file?.slice(folder.length);
    if (blob === undefined || name === undefined || UNSAFE.test(name) || !wanted(name)) continue;
    files.set(blob, [...(files.get(blob) ?? []), name]);
  }
  const stream = new BlobStream(
    whole((blob, content) => {
      for (const file of files.get(blob) ?? []) take(file, content);
    }),
  );
  const input = [...files.keys()].map((blob) => `${blob}\n`).join('');
  if (input !== '')
    await streamGit(repository, ['cat-file', '--batch'], (chunk) => stream.add(chunk), { input });
  return files.size;
}

/**
 * Copies a game's folder as it was.
 *
 * @param target an empty folder
 * @returns whether the game was there
 */
export async function copyGameAtRef(ref: DataAtRef, slug: string, target: string): Promise<boolean> {
  const copy = (file: string, content: Buffer) => {
    const full = path.join(target, file);
    mkdirSync(path.dirname(full), { recursive: true });
    writeFileSync(full, content);
  };
  return (await readAtRef(ref, `${slug}/`, () => true, copy)) > 0;
}
