import { attributeOf } from './choose-columns.ts';
import { attributeValueOf, type Column } from './column.ts';

/** The attributes of a record, with unique names. */
export class Attributes {
  readonly #used: Set<string>;

  /** @param used names that are not available */
  constructor(used: readonly string[]) {
    this.#used = new Set(used);
  }

  /** Takes a name. Returns whether it was available. */
  take(name: string): boolean {
    const isFree = !this.#used.has(name) && !name.startsWith('name_');
    this.#used.add(name);
    return isFree;
  }

  /** Adds an attribute for each column that can have one, and returns their names and JSONata expressions. */
  add(columns: readonly Column[]): [name: string, expression: string][] {
    return columns.flatMap((column): [string, string][] => {
      const attribute = attributeOf(column);
      const name = this.#used.has(attribute) ? `${attribute}_text` : attribute;
      if (this.#used.has(name) || name.startsWith('name_')) return [];
      this.#used.add(name);
      return [[name, attributeValueOf(column)]];
    });
  }
}
