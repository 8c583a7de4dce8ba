import type { Json } from '../../../scripts/core/format/dist-format.ts';
import { andThen } from '../../core/lib/and-then.ts';
import type { Result } from '../../core/wire/respond.ts';
import type { Form } from '../../core/api/routes/route.ts';
import { tableResult } from './small-table.ts';

/** An element of `fields` in the JSON of a comparison. */
interface ComparedFacet {
  key: string;
  values: Json[];
  differs: boolean;
  best: number[];
}

/**
 * Returns the rows of a comparison as CSV or NDJSON: a row per facet, and in CSV a column per character with its id as name.
 *
 * @param result the JSON response
 */
export function fieldsResult(form: Form, ids: readonly string[], result: Result): Result {
  return tableResult<ComparedFacet>(form, result, () =>
    andThen(result.body(), ({ json }) => {
      const { fields } = JSON.parse(json.toString()) as { fields: ComparedFacet[] };
      return {
        names: ['key', ...ids, 'differs', 'best'],
        rows: fields,
        cellsOf: ({ key, values, differs, best }) => [
          key,
          ...values,
          differs,
          best.map((position) => ids[position] as string),
        ],
      };
    }),
  );
}
