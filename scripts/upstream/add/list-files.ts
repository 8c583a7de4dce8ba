import { opendir, stat } from 'node:fs/promises';
import path from 'node:path';
import { compareNatural } from '../../format/dist-format.ts';
import { CommandError, orCommandError } from '../../system.ts';

/** A file of a dump. */
export interface DumpFile {
  /** Relative to the dump's folder, with `/`. */
  path: string;
  bytes: number;
}

/** The regular files of a dump in natural order, and how many other entries were skipped. */
export interface Dump {
  folder: string;
  files: DumpFile[];
  skipped: {
    /** Files and folders whose name starts with a dot. */
    hidden: number;
    /** Symbolic links. */
    links: number;
    /** Entries that are neither files nor folders, and names with a backslash or control character, which game.json cannot contain. */
    others: number;
  };
}

/** A folder with more files is probably not a dump. */
const MAX_FILES = 200_000;

/**
 * Lists the files of a dump at any depth. Hidden entries and symbolic links are skipped.
 *
 * @throws CommandError when the folder does not exist, cannot be read, or has too many files
 */
export async function listDump(folder: string): Promise<Dump> {
  const facts = await stat(folder).catch(() => undefined);
  if (!facts?.isDirectory()) {
    throw new CommandError(`no folder ${folder}: pass the folder of the dump with --from`, 2);
  }
  const dump: Dump = { folder, files: [], skipped: { hidden: 0, links: 0, others: 0 } };
  await orCommandError(addFolder(dump, ''), (reason) => `${folder} cannot be read: ${reason}`);
  dump.files.sort((a, b) => compareNatural(a.path, b.path));
  return dump;
}

async function addFolder(dump: Dump, inside: string): Promise<void> {
  for await (const entry of await opendir(path.join(dump.folder, inside))) {
    const relative = path.posix.join(inside, entry.name);
    if (entry.name.startsWith('.')) dump.skipped.hidden++;
    else if (entry.isSymbolicLink()) dump.skipped.links++;
    else if (/[\\\p{Cc}]/u.test(entry.name)) dump.skipped.others++;
    else if (entry.isDirectory()) await addFolder(dump, relative);
    else if (!entry.isFile()) dump.skipped.others++;
    else {
      if (dump.files.length === MAX_FILES) {
        throw new CommandError(
          `${dump.folder} has more than ${MAX_FILES} files: pass the folder inside it that has the tables`,
        );
      }
      const { size } = await stat(path.join(dump.folder, relative));
      dump.files.push({ path: relative, bytes: size });
    }
  }
}

/** Describes the skipped entries for a message; undefined when nothing was skipped. */
export function describeSkipped({ skipped: { hidden, links, others } }: Dump): string | undefined {
  const parts = [
    ...(hidden > 0 ? [`${hidden} hidden`] : []),
    ...(links > 0 ? [`${links} symbolic`] : []),
    ...(others > 0 ? [`${others} that are not regular files`] : []),
  ];
  return parts.length > 0 ? `skipped: ${parts.join(', ')}` : undefined;
}
