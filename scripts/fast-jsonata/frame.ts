/** How many names of a frame are compared one by one; a frame with more of them has a map. */
const MAX_LISTED = 8;

const NO_VALUES: unknown[] = [];

/**
 * The variables of a block, a call or an expression, and of those around it: JSONata's `createFrame`, whose frames have an object without a
 * prototype and two functions of their own each. The other attributes are what JSONata keeps in a frame.
 */
export class Frame {
  timestamp: unknown;
  global: unknown;
  base: unknown;
  options: unknown;
  createSequence: unknown;
  guardrails: unknown;
  depth: unknown;
  RegexEngine: unknown;
  readonly #outer: Frame | undefined;
  #names: string[] | undefined = undefined;
  #values: unknown[] = NO_VALUES;
  #map: Map<string, unknown> | undefined = undefined;

  /** @param outer null for the outermost frame */
  constructor(outer: Frame | null) {
    this.timestamp = outer?.timestamp;
    this.global = outer?.global ?? { ancestry: [null] };
    this.base = outer?.base;
    this.options = undefined;
    this.createSequence = undefined;
    this.guardrails = undefined;
    this.depth = undefined;
    this.RegexEngine = undefined;
    this.#outer = outer ?? undefined;
  }

  bind(name: string, value: unknown): void {
    if (this.#map) {
      this.#map.set(name, value);
      return;
    }
    if (this.#names === undefined) {
      this.#names = [];
      this.#values = [];
    }
    const at = indexIn(this.#names, name);
    this.#values[at] = value;
    if (at < this.#names.length) return;
    this.#names.push(name);
    if (at === MAX_LISTED) {
      const values = this.#values;
      this.#map = new Map(this.#names.map((listed, index) => [listed, values[index]]));
      this.#names = undefined;
    }
  }

  lookup(name: string): unknown {
    for (let frame: Frame | undefined = this; frame !== undefined; frame = frame.#outer) {
      if (frame.#names !== undefined) {
        const at = indexIn(frame.#names, name);
        if (at < frame.#names.length) return frame.#values[at];
      } else if (frame.#map?.has(name)) return frame.#map.get(name);
    }
    return undefined;
  }
}

/** Where a name is in a list; the length of the list if it is not there. */
function indexIn(names: readonly string[], name: string): number {
  let at = 0;
  while (at < names.length && names[at] !== name) at++;
  return at;
}
