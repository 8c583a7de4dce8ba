/** The schemas of responses that are not JSON, and of rows. */
export const TABLE_SCHEMAS = {
  Csv: {
    type: 'string',
    description:
      'CSV (RFC 4180) in UTF-8: a line with the names of the columns, then a line per row. Lines end with CRLF.',
  },
  TypeScript: { type: 'string', description: 'A module of TypeScript with types only, in UTF-8.' },
  Ndjson: { type: 'string', description: 'A JSON object per line, in UTF-8.' },
  AnyRows: {
    description: 'A page of the roster or of a dataset, or a comparison.',
    anyOf: ['Roster', 'Dataset', 'Comparison'].map((name) => ({ $ref: `#/components/schemas/${name}` })),
  },
} as const;
