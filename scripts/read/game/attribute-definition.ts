import { ATTRIBUTE_KINDS, type AttributeKind, type Labels } from '../../format/attributes.ts';

/** The labels of a closed set: each value with its label, or the values alone. */
export type RawValues = readonly (string | number | boolean)[] | Readonly<Record<string, string | Labels>>;

/** What game.json says about an attribute. */
export type AttributeDefinition = {
  description?: string;
  kind?: AttributeKind;
  unit?: string;
  level?: string;
  ref?: string;
  expected?: { min?: number; max?: number };
  values?: RawValues;
} & Labels;

/** The collection whose attributes are those of every list that does not describe them itself. */
export const EVERY_COLLECTION = '*';

/**
 * What game.json says about attributes: by collection (`characters`, the key of a dataset, or `*`), then by dotted key. A step of a key may
 * be `*`: any name.
 */
export type AttributeDefinitions = Readonly<Record<string, Readonly<Record<string, AttributeDefinition>>>>;

const text = (help: string) => ({ type: 'string', minLength: 1, maxLength: 500, help });
const labels = {
  type: 'object',
  additionalProperties: false,
  properties: { label: text('The name in English.') },
  patternProperties: { '^label_[a-z]{2,3}(_[a-z]+)?$': text('The name in another language.') },
};

const attribute = {
  type: 'object',
  additionalProperties: false,
  properties: {
    label: text('The name that the game shows, in English.'),
    description: text('The meaning, in one sentence.'),
    kind: {
      enum: ATTRIBUTE_KINDS,
      help: 'What the values are; by default `text` or `number`, and `reference` with `ref`. The unit of a percentage says whether it is a fraction (`fraction: 0.05 is 5 %`) or a number of hundredths (`%`), a date is ISO 8601, a color is #rrggbb, an image is its address.',
    },
    unit: text('The unit of numbers, such as "seconds" or "stamina".'),
    level: text('The level or condition that the values are of. The attributes of an object inherit it.'),
    ref: text('The collection whose ids the values are: the key of a dataset, or `characters`.'),
    expected: {
      type: 'object',
      additionalProperties: false,
      properties: {
        min: { type: 'number', help: 'The smallest number.' },
        max: { type: 'number', help: 'The largest number.' },
      },
      help: 'The range that numbers are expected in.',
    },
    values: {
      description: 'a list of values, or an object with the label of each value',
      anyOf: [
        { type: 'array', items: { type: ['string', 'number', 'boolean'] }, minItems: 1 },
        {
          type: 'object',
          additionalProperties: { anyOf: [{ type: 'string', minLength: 1 }, labels] },
        },
      ],
      help: 'All values that there can be: a list, or an object with the label of each value, which is a text or {"label": …, "label_ja": …}.',
    },
  },
  patternProperties: labels.patternProperties,
};

/** JSON Schema of attribute definitions. */
export const attributesSchema = {
  type: 'object',
  properties: {
    $schema: {
      type: 'string',
      help: 'The JSON Schema of this file, for editors: "../attributes.schema.json". The compiler ignores it.',
    },
  },
  additionalProperties: {
    type: 'object',
    propertyNames: { minLength: 1, maxLength: 500 },
    additionalProperties: attribute,
  },
};
