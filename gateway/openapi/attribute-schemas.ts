import { ATTRIBUTE_KINDS } from '../../scripts/format/attributes.ts';

const text = { type: 'string' };
const whole = { type: 'integer', minimum: 0 };
const scalar = { type: ['string', 'number', 'boolean'] };
const labels = {
  label: {
    ...text,
    description: 'The name that the game shows, in English; in other languages as `label_ja`.',
  },
};
const range = { min: { type: 'number' }, max: { type: 'number' } };

/** The JSON Schemas of the attribute dictionary. */
export const ATTRIBUTE_SCHEMAS = {
  Attribute: {
    type: 'object',
    description: 'An attribute of a collection. Members that do not apply are absent.',
    required: ['key', 'list', 'count'],
    properties: {
      key: {
        ...text,
        description:
          'The dotted key. Steps into objects and into lists of objects are the same: `ascension.materials.name`.',
      },
      ...labels,
      description: { ...text, description: 'The meaning, in a sentence.' },
      type: {
        enum: ['string', 'number', 'integer', 'boolean', 'object', 'any'],
        description:
          'The type of the values; of a list, of its elements. `any`: several types, or lists of lists. Absent if no record has a value.',
      },
      kind: {
        enum: ATTRIBUTE_KINDS,
        description: 'What the values are. An image is its address; a date is ISO 8601; a color is #rrggbb.',
      },
      unit: text,
      level: { ...text, description: 'The level or condition that the values are of.' },
      ref: {
        ...text,
        description: 'The collection whose ids the values are: the key of a dataset, or `characters`.',
      },
      list: { type: 'boolean', description: 'Whether it is a list.' },
      optional: {
        const: true,
        description: 'Some records, or some of the objects that it is a part of, lack it.',
      },
      nullable: { const: true, description: 'Some values are null.' },
      count: { ...whole, description: 'How many records have a value.' },
      distinct: { ...whole, description: 'How many different values there are.' },
      min: { type: 'number', description: 'The smallest number.' },
      max: { type: 'number', description: 'The largest number.' },
      expected: {
        type: 'object',
        properties: range,
        additionalProperties: false,
        description: 'The range that is expected, now and later.',
      },
      closed: { const: true, description: '`values` are a closed set: the game knows no others.' },
      values: {
        type: 'array',
        items: { $ref: '#/components/schemas/AttributeValue' },
        description: 'All values of the build, ascending: of a closed set, and if there are few.',
      },
      examples: { type: 'array', items: scalar, description: 'Some values, if not all are listed.' },
    },
    patternProperties: { '^label_': text },
    additionalProperties: false,
  },
  AttributeValue: {
    type: 'object',
    required: ['value', 'count'],
    properties: {
      value: scalar,
      ...labels,
      count: { ...whole, description: 'How many records have it.' },
    },
    patternProperties: { '^label_': text },
    additionalProperties: false,
  },
} as const;
