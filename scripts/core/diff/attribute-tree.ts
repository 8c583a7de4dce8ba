import { isObject, type Json, type JsonObject } from '../format/dist-format.ts';

/**
 * The attributes that values have, as a tree of their names. The elements of a list share the attributes of the list: `skills.power` is in the
 * tree if an element of any list `skills` has `power`.
 */
export class AttributeTree {
  readonly #below = new Map<string, AttributeTree>();
  /** Whether only lists were added. */
  #isList = true;

  /** Adds the attributes of a value. @returns whether one of them was not known before */
  add(value: Json): boolean {
    if (Array.isArray(value)) {
      let isNew = false;
      const isList = this.#isList;
      for (const element of value) if (this.add(element)) isNew = true;
      this.#isList = isList;
      return isNew;
    }
    this.#isList = false;
    if (!isObject(value)) return false;
    let isNew = false;
    for (const name of Object.keys(value)) {
      let child = this.#below.get(name);
      if (child === undefined) {
        child = new AttributeTree();
        this.#below.set(name, child);
        isNew = true;
      }
      if (child.add(value[name] ?? null)) isNew = true;
    }
    return isNew;
  }

  /** The attributes that another tree lacks, as paths. What is inside such an attribute is not listed. */
  missingIn(other: AttributeTree): string[][] {
    return [...this.#below].flatMap(([name, child]) => {
      const counterpart = other.#below.get(name);
      if (counterpart === undefined) return [[name]];
      return child.missingIn(counterpart).map((path) => [name, ...path]);
    });
  }

  /** The lists that have no objects here, and do in another tree, as paths. */
  filledIn(other: AttributeTree): string[][] {
    return [...this.#below].flatMap(([name, child]) => {
      const counterpart = other.#below.get(name);
      if (counterpart === undefined || counterpart.#below.size === 0) return [];
      if (child.#below.size === 0) return child.#isList ? [[name]] : [];
      return child.filledIn(counterpart).map((path) => [name, ...path]);
    });
  }

  /** Copies a value without the attributes that this tree lacks. */
  restrict(value: Json): Json {
    if (Array.isArray(value)) return value.map((element) => this.restrict(element));
    if (!isObject(value)) return value;
    const known: [string, Json][] = [];
    for (const name of Object.keys(value)) {
      const child = this.#below.get(name);
      if (child) known.push([name, child.restrict(value[name] ?? null)]);
    }
    return Object.fromEntries(known) as JsonObject;
  }
}
