import type { AttributeDictionary, CollectionAttributes } from '../../scripts/format/attributes.ts';
import { type BuildEntry, parseDictionary } from '../../scripts/format/dist-format.ts';
import { once } from '../http/work.ts';
import type { Collection } from '../query/collection.ts';
import { describeFacets } from '../query/facets.ts';
import { readDistFile } from './dist-folder.ts';

/** The attribute dictionary of a build. */
export class Dictionary {
  /** Identifies its content; empty for a build that the compiler wrote none for. */
  readonly tag: string;
  readonly #read: () => AttributeDictionary;
  /** The generated datasets `facets`, by the list that they describe and the language of their labels. */
  readonly #facets = new WeakMap<Collection, Map<string | undefined, Collection>>();

  /** @param file the bytes of its file, which are parsed when they are first used */
  constructor(tag: string, file: Buffer) {
    this.tag = tag;
    this.#read = once(() => parseDictionary(file));
  }

  /**
   * Returns the facets of a list with the labels of their values. They are described when they are first requested.
   *
   * @param language the language of the labels, one of those that the game has; undefined for the dictionary's own
   */
  facetsOf(collection: string, list: Collection, language?: string): Collection {
    const byLanguage = this.#facets.get(list) ?? new Map<string | undefined, Collection>();
    this.#facets.set(list, byLanguage);
    const facets =
      byLanguage.get(language) ?? describeFacets(list, this.find(collection)?.attributes, language);
    byLanguage.set(language, facets);
    return facets;
  }

  /** Returns the attributes of a collection, `characters` or the key of a dataset; undefined if the compiler wrote none. */
  find(collection: string): CollectionAttributes | undefined {
    const dictionary = this.#read();
    return Object.hasOwn(dictionary, collection) ? dictionary[collection] : undefined;
  }
}

const NOTHING = Buffer.from('{}');

/** Returns the dictionary of a build. @throws DistError when its file is damaged */
export async function openDictionary(folder: string, { attributes }: BuildEntry): Promise<Dictionary> {
  if (attributes === undefined) return new Dictionary('', NOTHING);
  return new Dictionary(attributes.sha256, await readDistFile(folder, attributes));
}
