import { Draft } from '../../bytes/draft.ts';
import type { Collection } from '../../query/collection.ts';
import { type Projection, writeProjection } from '../../query/fields.ts';
import { parseFields } from '../../query/list-query.ts';
import type { Body } from '../../wire/respond.ts';
import type { ApiRequest, QueryParameter } from './route.ts';

const EMPTY = Buffer.from('{}');

/** The parameter of responses that are one record. */
export const FIELDS_OF_RECORD: QueryParameter = {
  name: 'fields',
  description: 'Only these attributes, by dotted key and separated by commas; `id` is always included.',
  schema: { type: 'array', items: { type: 'string', description: 'A dotted key.' } },
  style: 'form',
  explode: false,
};

/**
 * Prepares the response that is one full record, or its attributes that `fields` names.
 *
 * @throws ParameterError
 */
export function recordBody({ query }: ApiRequest, list: Collection, row: number): () => Body {
  const fields = query.flatMap(([name, value]) => (name === 'fields' ? [value] : []));
  if (fields.length === 0) return () => ({ json: list.fullRecords[row] as Buffer });
  const projection = parseFields(fields, list);
  return () => {
    const draft = new Draft();
    writeRecord(draft, projection, row);
    return { json: draft.bytes() };
  };
}

/** Writes the chosen attributes of a row. */
export function writeRecord(draft: Draft, projection: Projection, row: number): void {
  if (!writeProjection(draft, projection, row)) draft.write(EMPTY);
}
