import { accessSync, constants, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { StoreError } from './store.ts';

const NOT_A_FOLDER = 'it is not a folder; name a folder';
const NOT_ALLOWED = 'permission denied; run this as the user who owns it, or name another folder';
const REASONS: Record<string, string> = {
  EACCES: NOT_ALLOWED,
  EPERM: NOT_ALLOWED,
  EROFS: 'it is read-only; name another folder',
  ENOENT: 'it cannot be created there; name another folder',
  ENOTDIR: NOT_A_FOLDER,
  EEXIST: NOT_A_FOLDER,
};

/**
 * Opens something in a folder. A missing folder is created, accessible to its owner only, and its parents with the usual permissions.
 *
 * @param open opens it, when the folder is there and can be written
 * @throws StoreError when the folder cannot be created or used, or `open` fails
 */
export function openInFolder<T>(folder: string, open: () => T): T {
  try {
    mkdirSync(dirname(folder), { recursive: true });
    makePrivate(folder);
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return open();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    // Failures of the system have a code; anything else is a bug.
    throw code === undefined ? error : refuseFolder(folder, REASONS[code] ?? message, error);
  }
}

/** Not recursive: then Node.js would report a failing disk as a missing folder. */
function makePrivate(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}

/** What to do about a data file that is damaged or lost. */
export function adviseRestore(folder: string): string {
  return `restore a backup with gateway store restore <file> --store ${folder}`;
}

/** The error for a store that cannot be opened. */
export function refuseFolder(folder: string, reason: string, cause?: unknown): StoreError {
  return new StoreError(`cannot open the store in ${folder}: ${reason}`, { cause });
}
