import type { JsonSchema } from '../api/route.ts';

/** Describes an argument that is a text. */
export const text = (description: string): JsonSchema => ({ type: 'string', description });
/** Describes an argument that is a list of texts. */
export const texts = (description: string): JsonSchema => ({
  ...{ type: 'array', items: { type: 'string' } },
  description,
});

/** The arguments that several tools have. */
export const ARGUMENTS = {
  game: text('The slug of a game, such as `genshin-impact`; list_games has all.'),
  id: text('The id of a character; search finds it by name.'),
  ids: texts('Ids, in this order; search finds them by name.'),
  collection: {
    ...text('`characters`, or the key of a dataset as list_games shows it.'),
    default: 'characters',
  },
  fields: texts(
    'Only these attributes, by key, such as `name` or `stats.atk`. Choose them: a full record is long.',
  ),
  lang: text('The language of names and texts, such as `ja`.'),
  q: text('A name or a part of one, in any language; typing errors are forgiven.'),
  only: {
    type: 'string',
    enum: ['stats', 'new_units'],
    description: '`stats`: only numbers that grew or fell. `new_units`: only new characters.',
  },
} as const;

/** Makes the schema of a tool's arguments. */
export function inputSchema(properties: Record<string, JsonSchema>, required: readonly string[]): JsonSchema {
  return { type: 'object', properties, required, additionalProperties: false };
}

/** Describes the arguments that choose a page of a tool. @param of what the pages consist of */
export function pageArguments(size: number, max: number, of: string): Record<'offset' | 'limit', JsonSchema> {
  return {
    offset: {
      ...{ type: 'integer', minimum: 0, default: 0 },
      description: '`next_offset` of the page before.',
    },
    limit: {
      ...{ type: 'integer', minimum: 1, maximum: max, default: size },
      description: `At most so many ${of}.`,
    },
  };
}
