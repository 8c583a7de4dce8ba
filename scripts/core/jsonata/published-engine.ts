import type jsonata from 'jsonata';
import type { Engine, Jsonata } from './engine.ts';

/**
 * JSONata as published. Its two faults (README.md) would change results silently; here the evaluation fails instead.
 */
export class PublishedEngine implements Engine {
  readonly note: string | undefined;
  readonly #jsonata: Jsonata;
  #toMillis: jsonata.Expression | undefined;

  /** @param problem why there is no faster engine, although there should be one */
  constructor(jsonata: Jsonata, problem?: string) {
    this.#jsonata = jsonata;
    if (problem !== undefined)
      this.note = `jsonata is used as published, with the same results but slower: ${problem}`;
  }

  parse(text: string, options?: jsonata.JsonataOptions): jsonata.Expression {
    return this.#jsonata(text, { ...options, RegexEngine: WholeRegExp });
  }

  toMillis(time: string | undefined, picture: string | undefined): Promise<unknown> {
    this.#toMillis ??= this.parse('$toMillis($time, $picture)');
    return this.#toMillis.evaluate(undefined, { time, picture });
  }

  guardTable(table: unknown): void {
    if (typeof table !== 'object' || table === null) return;
    if (Array.isArray(table) && table.length === 0) Object.defineProperty(table, 'push', REFUSED);
    for (const part of Object.values(table)) this.guardTable(part);
  }
}

const ADVICE = 'which jsonata as published gets wrong; install the version that package.json names';

/** The `push` of an empty list. It is not enumerable, so that copies of the list do not have it. */
const REFUSED: PropertyDescriptor = {
  configurable: true,
  value() {
    throw new Error(`an empty list is grouped, ${ADVICE}`);
  },
};

/** Refuses the empty object that a regex becomes when it is copied as JSON. */
const WholeRegExp = new Proxy(RegExp, {
  construct(_RegExp, [pattern]: [unknown]) {
    if (pattern instanceof RegExp) return new RegExp(pattern);
    throw new Error(`a regex is the operand before "??" or "?:", ${ADVICE}`);
  },
});
