import type { FoundTable } from '../dump/find-tables.ts';
import type { IdSource } from './choose-columns.ts';
import { columnsOfTable, wordsOf } from './column.ts';

/** A column that may hold ids of another table, and some of its values. */
interface Reference {
  table: FoundTable;
  words: string[];
  sample: string[];
}

const MAX_SAMPLE = 30;
const MIN_SAMPLE = 4;
const MIN_SHARE = 0.8;

/** Counts the tables whose rows have ids of a table. */
export class References {
  readonly #references: Reference[];

  constructor(tables: readonly FoundTable[]) {
    this.#references = tables
      .filter(({ member }) => member === undefined)
      .flatMap((table) =>
        columnsOfTable(table).flatMap(({ path, kind, values }): Reference[] => {
          const words = wordsOf(path.at(-1) ?? '');
          if ((kind !== 'number' && kind !== 'text') || path.length > 2) return [];
          if (!/^(ids?|uids?|keys?|tags?)$/.test(words.at(-1) ?? '') || words.length < 2) return [];
          const sample = [...new Set(values.slice(0, 400).map(String))].slice(0, MAX_SAMPLE);
          return sample.length < MIN_SAMPLE ? [] : [{ table, words: words.slice(0, -1), sample }];
        }),
      );
  }

  /** @param subject the words of what the table is about, which the names of such columns have in common with it */
  count(table: FoundTable, id: IdSource, subject: readonly string[]): number {
    const values = id === 'key' ? ('rows' in table.shape ? [...table.shape.rows.keys()] : []) : id.values;
    const ids = new Set(values.map(String));
    const stem = (word: string) => word.slice(0, 4);
    const about = new Set(subject.map(stem));
    const references = this.#references.filter(
      ({ table: other, words, sample }) =>
        other !== table &&
        words.some((word) => about.has(stem(word))) &&
        sample.filter((value) => value !== '0' && ids.has(value)).length >= sample.length * MIN_SHARE,
    );
    return new Set(references.map(({ table: other }) => other)).size;
  }
}
