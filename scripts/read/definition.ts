import {
  INSIDE,
  type RawTable,
  relativePath,
  type TableDefinition,
  tableOrNullSchema,
  tableSchema,
} from './table-definition.ts';

/** What `game.json` and `build.json` may hold, and the normalised form that the stages work with. */

/** An expression, not parsed yet. */
export interface ExpressionSource {
  /** Where in game.json it stands or is named, as a JSON Pointer. */
  pointer: string;
  /** The file that holds it, by its path inside the game's folder; absent where it stands in game.json. */
  file?: string;
  /** Undefined where the file could not be read. */
  text: string | undefined;
}

/** Turns the rows of a table into records, by JSONata expressions. */
export interface RowMapping {
  pointer: string;
  from: { pointer: string; table: string };
  where?: ExpressionSource;
  entry: ExpressionSource;
}

/** How the roster is made: `record` adds what only the full record has. */
export interface RosterMapping extends RowMapping {
  record?: ExpressionSource;
}

/** How a dataset is made: row by row, or by one expression over all tables. */
export type DatasetMapping = { key: string } & (RowMapping | { expression: ExpressionSource });

/** A game's definition as it holds for a build. Without `roster` the file `characters.json` (`.csv` …) is the roster. */
export interface GameDefinition {
  title: string;
  /** The build from which on it holds because game.json changes there; undefined for what holds from the first build on. */
  since?: string;
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

/** `game.json` as written. */
export interface RawGameDefinition extends RawMapping {
  title: string;
  changes?: RawChange[];
}

/** What `game.json` says of tables and records. */
export interface RawMapping {
  tables?: Record<string, RawTable>;
  roster?: RawRosterMapping;
  datasets?: Record<string, RawDataset>;
}

/** What is otherwise from a build on: a table, a part of the roster's mapping or a dataset each replaces the one before; null removes it. */
export interface RawChange {
  from: string;
  tables?: Record<string, RawTable | null>;
  roster?: { [Part in keyof RawRosterMapping]?: RawRosterMapping[Part] | null } | null;
  datasets?: Record<string, RawDataset | null>;
}

/** A text, a list of its lines, or the file that holds it. */
export type RawExpression = string | string[] | { file: string };
export interface RawRowMapping {
  from: string;
  where?: RawExpression;
  entry: RawExpression;
}
export type RawRosterMapping = RawRowMapping & { record?: RawExpression };
export type RawDataset = RawExpression | RawRowMapping;

const expression = {
  description:
    'an expression: a text, a list of its lines, or {"file": a path inside the game\'s folder that ends in .jsonata}',
  anyOf: [
    { type: 'string', minLength: 1 },
    { type: 'array', items: { type: 'string' }, minItems: 1 },
    {
      type: 'object',
      required: ['file'],
      additionalProperties: false,
      properties: { file: { type: 'string', maxLength: 1000, pattern: `${INSIDE}\\.jsonata$` } },
    },
  ],
};
const tableNames = { pattern: '^[A-Za-z][A-Za-z0-9_]*$', description: 'a name of letters, digits and _' };
const tableName = { type: 'string', minLength: 1 };
const rowMapping = { from: tableName, where: expression, entry: expression };
const dataset = {
  description: `${expression.description}; or {"from": …, "where": …, "entry": …}`,
  anyOf: [
    ...expression.anyOf,
    { type: 'object', required: ['from', 'entry'], additionalProperties: false, properties: rowMapping },
  ],
};

/** The schema of what a change may also set to null, which removes it. */
function orNull({ description, anyOf }: { description: string; anyOf: object[] }): object {
  return { description: `${description}; or null, which removes it`, anyOf: [...anyOf, { type: 'null' }] };
}

/** JSON Schema of game.json. */
export const gameSchema = {
  type: 'object',
  required: ['title'],
  additionalProperties: false,
  properties: {
    $schema: { type: 'string' },
    title: { type: 'string', minLength: 1, maxLength: 200 },
    tables: { type: 'object', propertyNames: tableNames, additionalProperties: tableSchema },
    roster: {
      type: 'object',
      required: ['from', 'entry'],
      additionalProperties: false,
      properties: { ...rowMapping, record: expression },
    },
    datasets: { type: 'object', additionalProperties: dataset },
    changes: {
      type: 'array',
      items: {
        type: 'object',
        required: ['from'],
        additionalProperties: false,
        properties: {
          from: { type: 'string', description: 'the name of a build' },
          tables: { type: 'object', propertyNames: tableNames, additionalProperties: tableOrNullSchema },
          roster: {
            type: ['object', 'null'],
            additionalProperties: false,
            properties: {
              from: tableName,
              where: orNull(expression),
              entry: expression,
              record: orNull(expression),
            },
          },
          datasets: { type: 'object', additionalProperties: orNull(dataset) },
        },
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
