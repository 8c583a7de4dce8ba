import type {
  Attribute,
  AttributeDictionary,
  CollectionAttributes,
} from '../../scripts/format/attributes.ts';
import {
  type BuildEntry,
  compareNatural,
  encodeList,
  parseDictionary,
  parseRecord,
} from '../../scripts/format/dist-format.ts';
import { once } from '../http/work.ts';
import { Collection } from '../query/collection.ts';
import type { Column } from '../query/column.ts';
import { describeFacets } from '../query/facets.ts';
import { readDistFile } from './dist-files.ts';
import type { Dataset, GameBuild } from './game-build.ts';

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

/**
 * Returns what is known of the attributes of a collection.
 *
 * @param collection `characters` or the key of a dataset
 * @param list its records, which show the attributes if the build has no dictionary
 */
export function describeAttributes(
  { dictionary }: Pick<GameBuild, 'dictionary'>,
  collection: string,
  list: () => Collection,
): CollectionAttributes {
  return dictionary.find(collection) ?? describeColumns(list());
}

/** Returns what is known of the attributes of the full records of a game. */
export function attributesOfRoster(game: GameBuild): CollectionAttributes {
  return describeAttributes(game, 'characters', () => game.roster);
}

/** Returns what is known of the attributes of a dataset: of its records, or of its one object. */
export function attributesOfDataset(game: GameBuild, dataset: Dataset): CollectionAttributes {
  return describeAttributes(game, dataset.key, () =>
    dataset.kind === 'list' ? dataset.list : listOf(dataset.json),
  );
}

/** An object as a list of one record. */
function listOf(json: Buffer): Collection {
  return new Collection(Buffer.from(encodeList([parseRecord(json)])));
}

const MAX_EXAMPLES = 3;

/** Describes the facets of a list by their values alone, for a build without an attribute dictionary. */
function describeColumns({ columns, count }: Collection): CollectionAttributes {
  const attributes = [...columns.values()].map((column) => describeColumn(column, count));
  return { records: count, attributes: attributes.sort((a, b) => compareNatural(a.key, b.key)) };
}

function describeColumn({ key, type, list, values, present }: Column, count: number): Attribute {
  const [min, max] = [values[0], values[values.length - 1]];
  return {
    key,
    type: type === 'number' && values.every(Number.isInteger) ? 'integer' : type,
    list,
    ...(present < count && { optional: true }),
    count: present,
    distinct: values.length,
    ...(typeof min === 'number' && typeof max === 'number' && { min, max }),
    examples: values.slice(0, MAX_EXAMPLES),
  };
}
