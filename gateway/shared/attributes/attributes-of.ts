import type { CollectionAttributes } from '../../../scripts/core/format/attributes.ts';
import { encodeList, type JsonObject } from '../../../scripts/core/format/dist-format.ts';
import type { Dataset, GameBuild } from '../../core/catalog/game-build.ts';
import { Collection } from '../../core/query/collection.ts';

/** Returns what is known of the attributes of the full records of a game. */
export function attributesOfRoster({ dictionary, roster }: GameBuild): CollectionAttributes {
  return dictionary.describe('characters', () => roster);
}

/** Returns what is known of the attributes of a dataset: of its records, or of its one object. */
export function attributesOfDataset({ dictionary }: GameBuild, dataset: Dataset): CollectionAttributes {
  return dictionary.describe(dataset.key, () =>
    dataset.kind === 'list' ? dataset.list : listOf(dataset.json),
  );
}

/** An object as a list of one record. */
function listOf(json: Buffer): Collection {
  return new Collection(Buffer.from(encodeList([JSON.parse(json.toString()) as JsonObject])));
}
