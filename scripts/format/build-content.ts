import type { BuildEntry, FileRef, Manifest } from './dist-format.ts';

/** The records of a list as the JSON texts that the list file has, in file order; equal records are equal texts. */
export type RecordTexts = readonly string[];

/** A dataset as encoded: the records of a list, or one object. */
export type DatasetContent = { kind: 'list'; records: RecordTexts } | { kind: 'object'; text: string };

/** All that a snapshot of a build holds, still encoded; what two builds share may be the same object in both. */
export interface BuildContent {
  /** The game's slug. */
  game: string;
  title: string;
  build: string;
  /** ISO 8601 UTC. */
  released_at: string;
  /** The full records. */
  characters: RecordTexts;
  datasets: ReadonlyMap<string, DatasetContent>;
}

/** A build as it is written: with the roster entries too, which a snapshot leaves out. */
export interface EncodedBuild extends BuildContent {
  roster: RecordTexts;
}

/** Gives the text of a file that a manifest names: of dist/, or of a plan. */
export type ReadText = (ref: FileRef) => string | Promise<string>;

/**
 * Reads builds of a game. A file that the build read before names too is not read again, so that successive builds cost what differs
 * between them.
 *
 * @returns a function that reads one of the manifest's builds; it rejects with what `readText` throws
 */
export function contentReader(
  { slug, title }: Pick<Manifest, 'slug' | 'title'>,
  readText: ReadText,
): (entry: BuildEntry) => Promise<BuildContent> {
  let last = new Map<string, unknown>();
  return async ({ build, released_at, characters, datasets }) => {
    const files = new Map<string, unknown>();
    const readOnce = async <T>(ref: FileRef, decode: (text: string) => T): Promise<T> => {
      const decoded = last.has(ref.file) ? (last.get(ref.file) as T) : decode(await readText(ref));
      files.set(ref.file, decoded);
      return decoded;
    };
    const records = await readOnce(characters, recordTexts);
    const contents = new Map<string, DatasetContent>();
    for (const ref of datasets) {
      contents.set(ref.key, await readOnce(ref, ref.kind === 'list' ? listContent : objectContent));
    }
    last = files;
    return { game: slug, title, build, released_at, characters: records, datasets: contents };
  };
}

function listContent(file: string): DatasetContent {
  return { kind: 'list', records: recordTexts(file) };
}

function objectContent(file: string): DatasetContent {
  return { kind: 'object', text: file.trimEnd() };
}

/** Cuts what `encodeList` writes into its records. No JSON text has a line break, so that only records are parted by one. */
function recordTexts(file: string): string[] {
  const records = file.slice('[\n'.length, -'\n]\n'.length);
  return records === '' ? [] : records.split(',\n');
}
