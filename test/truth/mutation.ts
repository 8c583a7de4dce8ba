import type { Json } from '../../scripts/format/dist-format.ts';
import type { RawColumn, RawTable } from './raw-tables.ts';

/** A kind of harmful mutation of a dump. It is written against what every game has, not against one game. */
export interface Kind {
  name: string;
  /** Whether it shows in a build without the build before it. `language`: only where the attribute's name ends with a language. */
  first: boolean | 'language';
  /** Whether it shows in a first build only: a build inherits files that it does not have. */
  onlyFirst?: boolean;
  /** Whether it was chosen before the checks were written that find it, and was not looked at until they were ready. */
  aside?: boolean;
  /** How many served records have to differ, so that there is something to find. */
  records: number;
}

/** A mutation of the values of one attribute. */
export interface ColumnMutation extends Kind {
  of: 'numbers' | 'categories' | 'names' | 'dates';
  /** Changes the raw values in place; false if it does not fit this column. */
  apply(column: RawColumn, random: () => number): boolean;
}

/** A mutation of the rows of a table that others are joined to, or of the table that the roster is made of. */
export interface TableMutation extends Kind {
  of: 'joined' | 'roster';
  /** Changes the rows in place; false if it does not fit this table. */
  apply(table: RawTable, random: () => number): boolean;
}

/** A mutation of the text of a file; undefined if the file is removed. */
export interface FileMutation extends Kind {
  of: 'file';
  edit(text: string): string | undefined;
}

export type Mutation = ColumnMutation | TableMutation | FileMutation;

/** The values of a column. */
export function valuesOf({ cells }: RawColumn): Json[] {
  return cells.map(({ holder, key }) => (holder as Record<string, Json>)[key] as Json);
}

/** Puts elements in a random order. */
export function shuffle<T>(elements: readonly T[], random: () => number): T[] {
  const shuffled = [...elements];
  for (let at = shuffled.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1));
    [shuffled[at], shuffled[other]] = [shuffled[other] as T, shuffled[at] as T];
  }
  return shuffled;
}

/** A share of some elements, chosen at random. */
export function sample<T>(elements: readonly T[], share: number, random: () => number): T[] {
  return shuffle(elements, random).slice(0, Math.ceil(elements.length * share));
}
