import { nameTables } from '../../compile/union-table.ts';
import { countOf } from '../../lib/count-of.ts';
import type { StepFinding } from '../step.ts';
import type { ContentCheck } from './content.ts';
import { mappingExample } from '../examples.ts';

const items = { from: 'units', where: "type = 'item'", entry: "{'id': id}" };

export const whereDropsAllCheck: ContentCheck = {
  name: 'where-drops-all',
  description: 'A `where` of a dataset keeps at least one row of a table that has rows.',
  scope: 'build',
  severity: 'error',
  thresholds: {},
  lasting: true,
  passes: mappingExample(items, {
    units: [
      { id: 'a', type: 'item' },
      { id: 'b', type: 'unit' },
    ],
  }),
  fails: mappingExample(items, {
    units: [
      { id: 'a', type: 'Item' },
      { id: 'b', type: 'unit' },
    ],
  }),
  check: ({ build: { trace } }) =>
    [...trace.mapping.datasets].flatMap(([key, rows]): StepFinding[] => {
      const { rows: seen, kept } = trace.selections.get(key) ?? { rows: 0, kept: 0 };
      // `roster-size` reports that of the roster.
      if (!('where' in rows) || rows.where === undefined || seen === 0 || kept > 0) return [];
      return [
        {
          of: key,
          causes: [key],
          place: rows.where.place,
          found: `"where" drops all ${countOf(seen, 'row')} of table ${nameTables(rows)}, and "${key}" is empty`,
          expected: 'true for at least one row',
        },
      ];
    }),
};
