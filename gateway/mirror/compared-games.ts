import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { type FileRef, filesOf } from '../../scripts/format/dist-format.ts';
import { makePrivateFolder, replacePrivateFile } from '../../scripts/system.ts';
import { readManifest } from '../data/dist-folder.ts';

/** Beside the files of a copy. */
const FILE = '.compared.json';

/** A game all of whose files were compared with their SHA-256: that of its manifest, and a hash of the marks of the files. */
interface Compared {
  manifest: string;
  marks: string;
}

/**
 * Remembers which games of a copy were compared, with the size, time and inode of each file, so that a restart does not read all files again. What
 * a disk damages without changing these is found when the file is read, and by `scrub.ts`.
 */
export class ComparedGames {
  readonly #folder: string;
  readonly #games: Map<string, Compared>;
  #isSaved = true;

  private constructor(folder: string, games: Map<string, Compared>) {
    this.#folder = folder;
    this.#games = games;
  }

  /** Reads what was remembered; nothing if that cannot be read. */
  static async open(folder: string): Promise<ComparedGames> {
    const text = await readFile(path.join(folder, FILE), 'utf8').catch(() => '{}');
    return new ComparedGames(folder, parse(text));
  }

  /** Returns whether a game was compared, and none of its files has been written since. */
  async isUnchanged(slug: string, manifest: FileRef): Promise<boolean> {
    const compared = this.#games.get(slug);
    if (compared?.manifest !== manifest.sha256) return false;
    return (await this.#mark(manifest)) === compared.marks;
  }

  /** Notes that all files of a game were compared. */
  async note(slug: string, manifest: FileRef): Promise<void> {
    const marks = await this.#mark(manifest);
    if (marks === undefined) this.#games.delete(slug);
    else this.#games.set(slug, { manifest: manifest.sha256, marks });
    this.#isSaved = false;
  }

  /** Forgets a game whose files turned out to be damaged. */
  forget(slug: string): void {
    this.#games.delete(slug);
    this.#isSaved = false;
  }

  /** Writes what was noted. What cannot be written only costs time. */
  async save(): Promise<void> {
    if (this.#isSaved) return;
    this.#isSaved = true;
    const bytes = Buffer.from(JSON.stringify(Object.fromEntries(this.#games)));
    await makePrivateFolder(this.#folder)
      .then(() => replacePrivateFile(path.join(this.#folder, FILE), bytes))
      .catch(() => {});
  }

  /** A hash of the marks of a game's files; undefined if one of them is missing. */
  async #mark(manifest: FileRef): Promise<string | undefined> {
    const hash = createHash('sha256');
    try {
      const { builds } = await readManifest(this.#folder, manifest);
      const files = new Set(builds.flatMap(filesOf).map(({ file }) => file));
      for (const file of files) {
        const { size, mtimeNs, ino } = await stat(path.join(this.#folder, file), { bigint: true });
        hash.update(`${file} ${size} ${mtimeNs} ${ino}\n`);
      }
      return hash.digest('hex');
    } catch {
      return undefined;
    }
  }
}

function parse(text: string): Map<string, Compared> {
  try {
    return new Map(Object.entries(JSON.parse(text)));
  } catch {
    return new Map();
  }
}
