import type { Attribute, CollectionAttributes } from '../../scripts/format/attributes.ts';
import { compareNatural, encodeList, parseRecord } from '../../scripts/format/dist-format.ts';
import type { Dataset, GameBuild } from '../data/game-build.ts';
import { Collection } from '../query/collection.ts';
import type { Column } from '../query/column.ts';

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
