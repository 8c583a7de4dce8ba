import type jsonata from 'jsonata';
import type { Engine, Jsonata } from './engine.ts';

/**
 * JSONata as it is published. Its two faults (`replacements.ts`) would change results without a word; where one would, the evaluation
 * fails here.
 */
export class PublishedEngine implements Engine {
  readonly note: string;
  readonly #jsonata: Jsonata;
  #toMillis: jsonata.Expression | undefined;

  /** @param problem why the package cannot be rewritten */
  constructor(jsonata: Jsonata, problem: string) {
    this.#jsonata = jsonata;
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

/** A property of an empty list that no copy of it has. */
const REFUSED: PropertyDescriptor = {
  configurable: true,
  value() {
    throw new Error(`an empty list is grouped, ${ADVICE}`);
  },
};

/** Refuses what is left of a regex that was copied as JSON. */
const WholeRegExp = new Proxy(RegExp, {
  construct(_RegExp, [pattern]: [unknown]) {
    if (pattern instanceof RegExp) return new RegExp(pattern);
    throw new Error(`a regex stands before "??" or "?:", ${ADVICE}`);
  },
});
