import type { FoundTable } from '../dump/find-tables.ts';
import { describeFields, describeShape } from '../dump/table-shape.ts';
import { DATASET_KEY, RESERVED_ATTRIBUTES, RESERVED_DATASET_KEYS } from '../../../core/format/dist-format.ts';
import type { RawDataset, RawGameDefinition } from '../../../core/read/definition.ts';
import type { RawTable } from '../../../core/read/table-definition.ts';
import { Attributes } from './attributes.ts';
import { chooseId, chooseName } from './choose-columns.ts';
import type { RosterChoice } from './choose-roster.ts';
import { columnsOf, expressionOf, snakeCase } from './column.ts';
import type { Join } from './find-joins.ts';
import { idExpression, proposeRoster } from './propose-roster.ts';

/** A definition, and comments on its parts by JSON Pointer. */
export interface Proposal {
  definition: RawGameDefinition;
  comments: Map<string, string[]>;
}

/** Proposes a definition for the tables of a dump, which compiles without changes. Pure. */
export function proposeDefinition(
  title: string,
  tables: readonly FoundTable[],
  roster: RosterChoice | undefined,
): Proposal {
  const comments: Proposal['comments'] = new Map();
  const proposed = roster && proposeRoster(roster, tables, comments);
  const declared: Record<string, RawTable> = {};
  for (const table of tables) {
    declared[table.name] = declareTable(table, proposed?.keys.get(table.name));
    comments.set(`/tables/${table.name}`, [describeTable(table)]);
  }
  const datasets: Record<string, RawDataset> = {};
  for (const table of tables.filter((each) => each !== roster?.table && !proposed?.same.includes(each))) {
    const dataset = proposeDataset(table);
    const key = dataset && datasetKeyOf(table.name, Object.keys(datasets));
    if (key) datasets[key] = dataset;
  }
  const definition = {
    $schema: '../game.schema.json',
    title,
    ...(proposed?.language !== undefined && { language: proposed.language }),
    tables: declared,
    ...(proposed && { roster: proposed.mapping }),
    ...(Object.keys(datasets).length > 0 && { datasets }),
  };
  return { definition, comments };
}

function declareTable({ files, at, columns, delimiter }: FoundTable, key: Join['key']): RawTable {
  const options = {
    ...(at !== '' && { at }),
    ...(key !== undefined && { key }),
    ...(delimiter !== undefined && { delimiter }),
    ...(columns && { columns }),
  };
  return Object.keys(options).length === 0 ? files : { files, ...options };
}

function describeTable({ shape, fileCount }: FoundTable): string {
  const fields = describeFields(shape);
  const files = fileCount > 1 ? `${fileCount} files, keyed by their stems: ` : '';
  return `${files}${describeShape(shape)}${fields ? `: ${fields}` : ''}`;
}

const MAX_FIELDS = 12;

/** Proposes a dataset of a table's plain fields; undefined when it has no rows, no ids, or no other fields. */
function proposeDataset(table: FoundTable): RawDataset | undefined {
  if (!('rows' in table.shape)) return undefined;
  const columns = columnsOf(table.shape.rows);
  const id = chooseId(table, columns);
  if (id === undefined) return undefined;
  const name = chooseName(columns, table.shape.rows.size);
  const others = columns.filter(
    (column) => column !== id && column !== name && column.path.length === 1 && column.kind !== 'mixed',
  );
  const lines = [
    `'id': ${idExpression(id)}`,
    ...(name ? [`'name': ${expressionOf(name)}`] : []),
    ...new Attributes([...RESERVED_ATTRIBUTES, 'id', 'name']).add(others).slice(0, MAX_FIELDS),
  ];
  return lines.length > 1 ? { from: table.name, entry: `{ ${lines.join(', ')} }` } : undefined;
}

const validKey = new RegExp(DATASET_KEY);

function datasetKeyOf(name: string, used: readonly string[]): string | undefined {
  const key = snakeCase(name);
  const candidates = [key, `${key}_rows`];
  const reserved: readonly string[] = RESERVED_DATASET_KEYS;
  return candidates.find(
    (candidate) => validKey.test(candidate) && !used.includes(candidate) && !reserved.includes(candidate),
  );
}
