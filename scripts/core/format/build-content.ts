import type { BuildEntry, FileRef, Manifest } from './dist-format.ts';

/** The records of a list as JSON texts, in the order of the list file. Equal records are equal texts. */
export type RecordTexts = readonly string[];

/** An encoded dataset: the records of a list, or one object. */
export type DatasetContent = { kind: 'list'; records: RecordTexts } | { kind: 'object'; text: string };

/** The content of a build's snapshot, still encoded. Two builds may share the same objects. */
export interface BuildContent {
  /** The game's slug. */
  game: string;
  title: string;
  build: string;
  /** ISO 8601 UTC. */
  released_at: string;
  carried_from?: Readonly<Record<string, string>>;
  /** The full records. */
  characters: RecordTexts;
  datasets: ReadonlyMap<string, DatasetContent>;
}

/** A build as written to dist/: with the roster entries, which a snapshot does not contain. */
export interface EncodedBuild extends BuildContent {
  roster: RecordTexts;
}

/** Returns the text of a file that a manifest names, from dist/ or from a plan. */
export type ReadText = (ref: FileRef) => string | Promise<string>;

/**
 * Makes a function that reads builds of a game. Files that the previously read build names too are not read again, so that reading
 * successive builds costs only their differences.
 *
 * @returns a function that reads one of the manifest's builds; it rejects with the errors of `readText`
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

/** Splits a file from `encodeList` into its records. JSON texts contain no line breaks, so every line break separates records. */
function recordTexts(file: string): string[] {
  const records = file.slice('[\n'.length, -'\n]\n'.length);
  return records === '' ? [] : records.split(',\n');
}
