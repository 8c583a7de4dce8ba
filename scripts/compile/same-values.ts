import { isObject, type Json } from '../format/dist-format.ts';

/** Values with more levels than a served record can have (`canonicalise`) count as different. */
const MAX_DEPTH = 64;

/** Compares JSON values, including the order of keys, which expressions can see. Two objects are compared once. */
export class SameValues {
  /** The last comparison of each object. */
  readonly #compared = new WeakMap<object, { other: object; same: boolean }>();

  /** Whether two values are the same. */
  compare(a: Json | undefined, b: Json | undefined): boolean {
    if (!isComposite(a) || !isComposite(b)) return Object.is(a, b);
    if (a === b) return true;
    const compared = this.#compared.get(a);
    if (compared?.other === b) return compared.same;
    const same = sameBelow(a, b, MAX_DEPTH);
    this.#compared.set(a, { other: b, same });
    return same;
  }
}

function isComposite(value: Json | undefined): value is Json & object {
  return typeof value === 'object' && value !== null;
}

function sameBelow(a: Json | undefined, b: Json | undefined, levels: number): boolean {
  if (Object.is(a, b)) return true;
  if (levels === 0) return false;
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    return a.every((element, index) => sameBelow(element, b[index], levels - 1));
  }
  if (!isObject(a) || !isObject(b)) return false;
  const keys = Object.keys(a);
  const others = Object.keys(b);
  return (
    keys.length === others.length &&
    keys.every((key, at) => key === others[at] && sameBelow(a[key], b[key], levels - 1))
  );
}
