import type { QueryParameter } from '../../core/api/routes/route.ts';

/** The parameter that chooses the columns of CSV. */
export const COLUMNS: QueryParameter = {
  name: 'columns',
  description:
    'These columns in this order, by dotted key and separated by commas, of all that full records have. An object stands for all columns in it. Without it, the ' +
    'columns are those of the records in the list, or what `fields` names, in the order of the attribute dictionary.',
  schema: { type: 'array', items: { type: 'string', description: 'A dotted key.' } },
  style: 'form',
  explode: false,
  example: ['id', 'name', 'stats'],
};
