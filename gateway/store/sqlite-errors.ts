import { refuseFolder } from './folder-files.ts';
import { StoreError } from './store.ts';

/** A database file, as errors name it. */
export interface NamedFile {
  folder: string;
  /** Its name in the folder. */
  name: string;
  /** What to do when it is damaged. */
  advice: string;
}

/** Another process has the lock of the database at this moment. */
export class StoreBusy extends StoreError {
  override name = 'StoreBusy';
}

/** The primary result codes of SQLite, the low byte of an error's `errcode`. */
const CODE = { ERROR: 1, BUSY: 5, LOCKED: 6, READONLY: 8, IOERR: 10, CORRUPT: 11, CANTOPEN: 14, NOTADB: 26 };
/** The errors of `all` have no `errcode`. */
const CODES_OF_MESSAGES: Record<string, number> = {
  'database is locked': CODE.BUSY,
  'database disk image is malformed': CODE.CORRUPT,
  'file is not a database': CODE.NOTADB,
};

/** Makes an error that says how a file is damaged, and what to do. */
export function explainDamage(file: NamedFile, damage: string, cause?: ErrorOptions): StoreError {
  return new StoreError(`${nameFile(file)} is damaged (${damage}); ${file.advice}`, cause);
}

/** Makes an error that says what to do of a failure of SQLite or of the file system. Anything else is a bug, and stays as it is. */
export function explainFailure(error: unknown, named: NamedFile): unknown {
  if (!(error instanceof Error)) return error;
  const { folder, name } = named;
  const file = nameFile(named);
  const cause = { cause: error };
  switch (primaryCode(error)) {
    case undefined:
      return error;
    case CODE.BUSY:
    case CODE.LOCKED:
      return new StoreBusy(`${file} is locked by another process; try again`, cause);
    case CODE.READONLY:
      return new StoreError(
        `${file} cannot be written; check its owner, its permissions, and whether its disk is read-only`,
        cause,
      );
    case CODE.CORRUPT:
    case CODE.NOTADB:
    case CODE.ERROR:
      return explainDamage(named, error.message, cause);
    case CODE.CANTOPEN:
      return refuseFolder(folder, `${name}: ${error.message}; check the permissions, and the disk`, error);
    default:
      return new StoreError(
        `the store in ${folder} failed: ${error.message}; check whether its disk is full or failing`,
        cause,
      );
  }
}

function nameFile({ folder, name }: NamedFile): string {
  return `${name} of the store in ${folder}`;
}

/** Returns undefined for an error that is neither SQLite's nor the file system's. */
function primaryCode(error: Error): number | undefined {
  const { code, errcode, syscall, message } = error as NodeJS.ErrnoException & { errcode?: unknown };
  if (code === 'ERR_SQLITE_ERROR')
    return typeof errcode === 'number' ? errcode & 0xff : (CODES_OF_MESSAGES[message] ?? CODE.IOERR);
  return syscall === undefined ? undefined : CODE.IOERR;
}
