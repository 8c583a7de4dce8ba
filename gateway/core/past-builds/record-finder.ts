import type { FileHandle } from 'node:fs/promises';
import { LRUCache } from 'lru-cache';
import { type FileRef, type JsonObject, sliceList } from '../../../scripts/core/format/dist-format.ts';

/** Where a record is in a list file: offset and length, in bytes. */
type Place = readonly [number, number];

/** How a `RecordFinder` reads files of dist/. Both reject with a DistError. */
export interface ListFiles {
  read(ref: FileRef): Promise<Buffer>;
  open(ref: FileRef): Promise<FileHandle>;
}

/** How many records' places are kept, in all lists. A place with its id needs about 150 bytes. */
const MAX_PLACES = 200_000;

/**
 * Finds single records in lists of past builds. A list is read once to find where its records are; then only their bytes are read.
 */
export class RecordFinder {
  readonly #files: ListFiles;
  readonly #places = new LRUCache<string, ReadonlyMap<string, Place>>({
    maxSize: MAX_PLACES,
    sizeCalculation: (places) => places.size + 1,
  });

  constructor(files: ListFiles) {
    this.#files = files;
  }

  /**
   * Returns the JSON of the record with an id; undefined if the list has none.
   *
   * @throws DistError
   */
  async find(ref: FileRef, id: string): Promise<Buffer | undefined> {
    const placesOfList = this.#places.get(ref.file);
    if (placesOfList === undefined) return await this.#readAll(ref, id);
    const place = placesOfList.get(id);
    if (place === undefined) return undefined;
    const [offset, length] = place;
    const handle = await this.#files.open(ref);
    try {
      const { buffer } = await handle.read(Buffer.allocUnsafe(length), 0, length, offset);
      return buffer;
    } finally {
      await handle.close();
    }
  }

  async #readAll(ref: FileRef, id: string): Promise<Buffer | undefined> {
    const file = await this.#files.read(ref);
    const places = new Map<string, Place>();
    for (const record of sliceList(file)) {
      places.set(idOf(record), [record.byteOffset - file.byteOffset, record.length]);
    }
    this.#places.set(ref.file, places);
    const place = places.get(id);
    // A copy, so that the whole file is not kept.
    return place && Buffer.from(file.subarray(place[0], place[0] + place[1]));
  }
}

const LEADING_ID = /^\{"id":("[^"\\]*")/;
const MAX_LEADING_BYTES = 300;

/** The id of a record. It comes first, except after keys that look like an array index. */
function idOf(record: Buffer): string {
  const leading = LEADING_ID.exec(record.toString('utf8', 0, MAX_LEADING_BYTES))?.[1];
  if (leading !== undefined) return JSON.parse(leading) as string;
  return String((JSON.parse(record.toString()) as JsonObject).id);
}
