import {
  type AttributeDefinition,
  type AttributeDefinitions,
  EVERY_COLLECTION,
} from '../read/game/attribute-definition.ts';

const ANY_NAME = '*';

/** Finds what game.json says about the attributes of one collection. */
export class DefinitionsOf {
  readonly #exact: readonly Readonly<Record<string, AttributeDefinition>>[];
  readonly #patterns: readonly { steps: readonly string[]; definition: AttributeDefinition }[];

  /** @param collection `characters` or the key of a dataset */
  constructor(definitions: AttributeDefinitions | undefined, collection: string) {
    const entries = new Map(Object.entries(definitions ?? {}));
    this.#exact = [entries.get(collection), entries.get(EVERY_COLLECTION)].filter(
      (attributes) => attributes !== undefined,
    );
    this.#patterns = this.#exact.flatMap((attributes) =>
      Object.entries(attributes).flatMap(([key, definition]) => {
        const steps = key.split('.');
        return steps.includes(ANY_NAME) ? [{ steps, definition }] : [];
      }),
    );
  }

  /** Finds the definition of an attribute. A definition of its key comes before that of a pattern, and one for its collection before one for all lists. */
  find(key: string): AttributeDefinition | undefined {
    const exact = this.#exact.find((attributes) => Object.hasOwn(attributes, key));
    if (exact) return exact[key];
    if (this.#patterns.length === 0) return undefined;
    const names = key.split('.');
    return this.#patterns.find(
      ({ steps }) =>
        steps.length === names.length &&
        steps.every((step, index) => step === ANY_NAME || step === names[index]),
    )?.definition;
  }
}
