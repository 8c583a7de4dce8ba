import type { AttributeDictionary, CollectionAttributes } from '../../scripts/format/attributes.ts';
import type { BuildEntry } from '../../scripts/format/dist-format.ts';
import { once } from '../lib/once.ts';
import type { Collection } from '../query/collection.ts';
import { describeColumns } from '../query/describe-columns.ts';
import { readDistFile } from './dist-folder.ts';

/** The attribute dictionary of a build. `tag` identifies its content; it is empty for a build that the compiler wrote none for. */
export interface Dictionary {
  tag: string;
  /**
   * Returns what is known of the attributes of a collection.
   *
   * @param collection `characters` or the key of a dataset
   * @param list its records, which show the attributes if the build has no dictionary
   */
  describe(collection: string, list: () => Collection): CollectionAttributes;
}

/** Returns the dictionary of a build, which is parsed when it is first used. @throws DistError when its file is damaged */
export async function openDictionary(folder: string, { attributes }: BuildEntry): Promise<Dictionary> {
  if (attributes === undefined) return { tag: '', describe: (_, list) => describeColumns(list()) };
  const file = await readDistFile(folder, attributes);
  const read = once(() => JSON.parse(file.toString()) as AttributeDictionary);
  return {
    tag: attributes.sha256,
    describe(collection, list) {
      const dictionary = read();
      return Object.hasOwn(dictionary, collection)
        ? (dictionary[collection] as CollectionAttributes)
        : describeColumns(list());
    },
  };
}
