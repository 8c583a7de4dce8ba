/** What `game.json` and `build.json` may hold, and the normalised form that the stages work with. */

/** A table as `game.json` declares it, short form spelled out. */
export interface TableDefinition {
  name: string;
  /** A path inside the build's folder, or a glob: with a wildcard the table is an object keyed by file stem. */
  files: string;
  /** JSON Pointer to the table inside the file; `''` the whole. */
  at: string;
  /** Whether a build may lack the files; the table is then absent. */
  optional: boolean;
}

/** Turns the rows of a table into records, by JSONata expressions. */
export interface RowMapping {
  from: string;
  where?: string;
  entry: string;
}

/** How the roster is made: `record` adds what only the full record has. */
export interface RosterMapping extends RowMapping {
  record?: string;
}

/** How a dataset is made: row by row, or by one expression over all tables. */
export type DatasetMapping = { key: string } & (RowMapping | { expression: string });

/** A game's definition. Without `roster` the file `characters.json` or `characters.csv` is the roster as it stands. */
export interface GameDefinition {
  title: string;
  tables: TableDefinition[];
  roster?: RosterMapping;
  datasets: DatasetMapping[];
}

/** A build's own facts. `released_at` in UTC; `removed` names files of earlier builds that are gone. */
export interface BuildDefinition {
  released_at: string;
  note: string | null;
  removed: string[];
}

/** `game.json` as written. An expression is a text, or a list of lines. */
export interface RawGameDefinition {
  title: string;
  tables?: Record<string, string | { files: string; at?: string; optional?: boolean }>;
  roster?: RawRowMapping & { record?: RawExpression };
  datasets?: Record<string, RawExpression | RawRowMapping>;
}
type RawExpression = string | string[];
interface RawRowMapping {
  from: string;
  where?: RawExpression;
  entry: RawExpression;
}

const expression = {
  description: 'an expression: a text, or a list of its lines',
  anyOf: [
    { type: 'string', minLength: 1 },
    { type: 'array', items: { type: 'string' }, minItems: 1 },
  ],
};
const relativePath = {
  type: 'string',
  minLength: 1,
  pattern: '^(?!/)(?!.*//)(?!(.*/)?\\.\\.?(/|$))[^\\\\\\u0000]+$',
  description: 'a path inside the build\'s folder, without ".", ".." and backslashes',
};
const rowMapping = { from: { type: 'string', minLength: 1 }, where: expression, entry: expression };

/** JSON Schema of game.json. */
export const gameSchema = {
  type: 'object',
  required: ['title'],
  additionalProperties: false,
  properties: {
    $schema: { type: 'string' },
    title: { type: 'string', minLength: 1, maxLength: 200 },
    tables: {
      type: 'object',
      propertyNames: { pattern: '^[A-Za-z][A-Za-z0-9_]*$', description: 'a name of letters, digits and _' },
      additionalProperties: {
        description: `${relativePath.description}, or {"files": …, "at": a JSON Pointer, "optional": true or false}`,
        anyOf: [
          relativePath,
          {
            type: 'object',
            required: ['files'],
            additionalProperties: false,
            properties: {
              files: relativePath,
              at: { type: 'string', pattern: '^(/([^~/]|~[01])*)*$', description: 'a JSON Pointer' },
              optional: { type: 'boolean' },
            },
          },
        ],
      },
    },
    roster: {
      type: 'object',
      required: ['from', 'entry'],
      additionalProperties: false,
      properties: { ...rowMapping, record: expression },
    },
    datasets: {
      type: 'object',
      additionalProperties: {
        description: `${expression.description}; or {"from": …, "where": …, "entry": …}`,
        anyOf: [
          ...expression.anyOf,
          {
            type: 'object',
            required: ['from', 'entry'],
            additionalProperties: false,
            properties: rowMapping,
          },
        ],
      },
    },
  },
};

/** JSON Schema of build.json. */
export const buildSchema = {
  type: 'object',
  required: ['released_at'],
  additionalProperties: false,
  properties: {
    $schema: { type: 'string' },
    released_at: {
      type: 'string',
      format: 'instant',
      description: 'an ISO 8601 date (midnight UTC) or date-time with its zone, as 2026-02-25T11:00:00Z',
    },
    note: { type: 'string', minLength: 1, maxLength: 2000 },
    removed: { type: 'array', items: relativePath },
  },
};

/** Normalises a `game.json` that the schema accepted. */
export function normaliseGame(raw: RawGameDefinition): GameDefinition {
  return {
    title: raw.title,
    tables: Object.entries(raw.tables ?? {}).map(([name, table]) => ({
      name,
      at: '',
      optional: false,
      ...(typeof table === 'string' ? { files: table } : table),
    })),
    ...(raw.roster && { roster: normaliseRoster(raw.roster) }),
    datasets: Object.entries(raw.datasets ?? {}).map(([key, mapping]) =>
      isRowMapping(mapping) ? { key, ...normaliseRows(mapping) } : { key, expression: joinLines(mapping) },
    ),
  };
}

function isRowMapping(mapping: RawExpression | RawRowMapping): mapping is RawRowMapping {
  return typeof mapping === 'object' && !Array.isArray(mapping);
}

function normaliseRoster(raw: RawRowMapping & { record?: RawExpression }): RosterMapping {
  return { ...normaliseRows(raw), ...(raw.record !== undefined && { record: joinLines(raw.record) }) };
}

function normaliseRows(raw: RawRowMapping): RowMapping {
  return {
    from: raw.from,
    entry: joinLines(raw.entry),
    ...(raw.where !== undefined && { where: joinLines(raw.where) }),
  };
}

function joinLines(text: RawExpression): string {
  return Array.isArray(text) ? text.join('\n') : text;
}

/** An ISO 8601 date or date-time with a zone as UTC (`2026-02-25T11:00:00Z`); undefined when it is neither. */
export function readInstant(text: string): string | undefined {
  const parts = /^(\d{4})-(\d\d)-(\d\d)(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d))?$/.exec(text);
  if (!parts) return undefined;
  const [year, month, day] = parts.slice(1, 4).map(Number) as [number, number, number];
  const midnight = new Date(Date.UTC(year, month - 1, day));
  const instant = new Date(text);
  // Date rolls the 31st of April over to May; such a day is no day.
  if (midnight.getUTCDate() !== day || Number.isNaN(instant.getTime())) return undefined;
  const utc = instant.toISOString().replace('.000Z', 'Z');
  // An offset can lead out of the years that have four digits.
  return /^\d{4}-/.test(utc) ? utc : undefined;
}
