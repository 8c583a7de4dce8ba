import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { StoreError } from './store.ts';

const NOT_A_FOLDER = 'it is not a folder; name one';
const NOT_ALLOWED = 'permission denied; run this as the user who owns it, or name another folder';
const REASONS: Record<string, string> = {
  EACCES: NOT_ALLOWED,
  EPERM: NOT_ALLOWED,
  EROFS: 'it is read-only; name another folder',
  ENOENT: 'it cannot be made there; name another folder',
  ENOTDIR: NOT_A_FOLDER,
  EEXIST: NOT_A_FOLDER,
};

/**
 * Opens what is in a folder, which is created, for its owner alone, where it is missing.
 *
 * @param open does that
 * @throws StoreError when the folder cannot be made or used, or what is in it cannot be opened
 */
export function openInFolder<T>(folder: string, open: () => T): T {
  try {
    makeFolder(folder);
    if (!statSync(folder).isDirectory()) throw refuseFolder(folder, NOT_A_FOLDER);
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return open();
  } catch (error) {
    throw hasCode(error) ? refuseFolder(folder, REASONS[error.code] ?? error.message, error) : error;
  }
}

/** What is thrown where a folder cannot be opened. */
export function refuseFolder(folder: string, reason: string, cause?: unknown): StoreError {
  return new StoreError(`cannot open the store in ${folder}: ${reason}`, {
    cause,
  });
}

/** Makes the folder for its owner alone, those above it as usual. Another process may do the same just now. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  mkdirSync(dirname(folder), { recursive: true });
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** Failures of the system and of LMDB carry a code; anything else is a bug. */
function hasCode(error: unknown): error is Error & { code: string | number } {
  return error instanceof Error && 'code' in error;
}
