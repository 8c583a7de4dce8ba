import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { type BuildEntry, encodeLines, type FileRef, type Manifest } from './dist-format.ts';

/** The records of a list as JSON texts, in the order of the list file. Equal records have equal texts. */
export type RecordTexts = readonly string[];

/** An encoded dataset: the records of a list, or one object. */
export type DatasetContent = { kind: 'list'; records: RecordTexts } | { kind: 'object'; text: string };

/** The content of a build's snapshot, still encoded. Two builds may share the same objects. */
export interface BuildContent {
  game: string;
  title: string;
  build: string;
  /** ISO 8601 UTC. */
  released_at: string;
  carried_from?: Readonly<Record<string, string>>;
  characters: RecordTexts;
  datasets: ReadonlyMap<string, DatasetContent>;
}

/** A build as dist/ holds it: with the roster entries, which a snapshot does not contain. */
export interface EncodedBuild extends BuildContent {
  roster: RecordTexts;
}

/** Returns the bytes of a file that a manifest references, from dist/ or from a plan. */
export type ReadFile = (ref: FileRef) => Promise<Buffer>;

const gunzipAsync = promisify(gunzip);
/** What precedes the characters and the datasets in a snapshot. */
const CHARACTERS = ',"characters":';
const DATASETS = ',"datasets":{\n';

/** The bytes of the lists and objects of a build, as their files have them. */
export interface EncodedLists {
  characters: Buffer;
  datasets: ReadonlyMap<string, Buffer>;
}

export function encodeListsOf({ characters, datasets }: BuildContent): EncodedLists {
  const encode = (dataset: DatasetContent) =>
    Buffer.from(dataset.kind === 'list' ? encodeLines(dataset.records) : `${dataset.text}\n`);
  return {
    characters: Buffer.from(encodeLines(characters)),
    datasets: new Map([...datasets].map(([key, dataset]) => [key, encode(dataset)])),
  };
}

/** Encodes a build's snapshot as JSON, from its lists. */
export function encodeSnapshot(content: BuildContent, { characters, datasets }: EncodedLists): Buffer {
  const { game, title, build, released_at, carried_from } = content;
  const head = JSON.stringify({ game, title, build, released_at, carried_from }).slice(0, -1);
  const parts = [...datasets].flatMap(([key, bytes], index) => [
    Buffer.from(`${index === 0 ? '' : ','}"${key}":`),
    bytes,
  ]);
  const [before, between, end] = [head + CHARACTERS, DATASETS, '}}\n'].map((text) => Buffer.from(text));
  return Buffer.concat([before, characters, between, ...parts, end].flatMap((part) => part ?? []));
}

/**
 * Returns a function that reads the roster, the characters and the datasets of a build: from their files; for a past build, from its compressed
 * roster and from its snapshot, which it decompresses at most once.
 *
 * @param readFile reads files, and checks their SHA-256
 */
export function listReader(entry: BuildEntry, readFile: ReadFile): ReadFile {
  if (!entry.in_snapshot) return readFile;
  let slicing: Promise<Map<string, Buffer>> | undefined;
  return async (ref) => {
    const { file, gzip, bytes } = entry.roster;
    if (gzip && ref.file === file) return await gunzipAsync(await readFile(gzip), { maxOutputLength: bytes });
    slicing ??= sliceSnapshot(entry, readFile);
    const slice = (await slicing).get(ref.file);
    // A copy, so that a cached list does not keep the whole snapshot in memory.
    return slice ? Buffer.from(slice) : await readFile(ref);
  };
}

/** The parts of an uncompressed snapshot, by the names that their files would have. */
async function sliceSnapshot(
  { snapshot, characters, datasets }: BuildEntry,
  readFile: ReadFile,
): Promise<Map<string, Buffer>> {
  const compressed = await readFile(snapshot.gzip);
  const plain = await gunzipAsync(compressed, { maxOutputLength: snapshot.bytes });
  const slices = new Map<string, Buffer>();
  // In a text, a backslash precedes the quotation mark, and `carried_from` has no list.
  let end = plain.indexOf(`${CHARACTERS}[`);
  const add = (prefix: string, { file, bytes }: FileRef) => {
    const start = end + prefix.length;
    end = start + bytes;
    slices.set(file, plain.subarray(start, end));
  };
  add(CHARACTERS, characters);
  for (const [at, ref] of datasets.entries()) add(`${at === 0 ? DATASETS : ','}"${ref.key}":`, ref);
  return slices;
}

/**
 * Returns a function that reads builds of a game. Files that the previously read build also references are not read again, so that reading
 * consecutive builds costs only their differences.
 *
 * @returns a function that reads one of the manifest's builds; it rejects with the errors of `readFile`
 */
export function contentReader(
  { slug, title }: Pick<Manifest, 'slug' | 'title'>,
  readFile: ReadFile,
): (entry: BuildEntry) => Promise<BuildContent> {
  let last = new Map<string, unknown>();
  return async (entry) => {
    const { build, released_at, carried_from, characters, datasets } = entry;
    const read = listReader(entry, readFile);
    const files = new Map<string, unknown>();
    const readOnce = async <T>(ref: FileRef, decode: (text: string) => T): Promise<T> => {
      const decoded = last.has(ref.file) ? (last.get(ref.file) as T) : decode((await read(ref)).toString());
      files.set(ref.file, decoded);
      return decoded;
    };
    const records = await readOnce(characters, recordTexts);
    const contents = new Map<string, DatasetContent>();
    for (const ref of datasets) contents.set(ref.key, await readOnce(ref, DECODERS[ref.kind]));
    last = files;
    const head = { game: slug, title, build, released_at, ...(carried_from && { carried_from }) };
    return { ...head, characters: records, datasets: contents };
  };
}

const DECODERS: Record<DatasetContent['kind'], (file: string) => DatasetContent> = {
  list: (file) => ({ kind: 'list', records: recordTexts(file) }),
  object: (file) => ({ kind: 'object', text: file.trimEnd() }),
};

/** Splits a file from `encodeList` into its records. JSON texts contain no line breaks, so every line break separates records. */
function recordTexts(file: string): string[] {
  const records = file.slice('[\n'.length, -'\n]\n'.length);
  return records === '' ? [] : records.split(',\n');
}
