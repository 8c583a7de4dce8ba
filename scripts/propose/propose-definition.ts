import type { FoundTable } from '../dump/find-tables.ts';
import { describeFields, describeShape } from '../dump/table-shape.ts';
import { DATASET_KEY, RESERVED_ATTRIBUTES, RESERVED_DATASET_KEYS } from '../format/dist-format.ts';
import type { RawDataset, RawGameDefinition, RawRosterMapping } from '../read/definition.ts';
import type { RawTable } from '../read/table-definition.ts';
import {
  attributeOf,
  chooseClasses,
  chooseId,
  chooseName,
  type IdSource,
  isWhole,
} from './choose-columns.ts';
import type { RosterChoice } from './choose-roster.ts';
import { attributeValueOf, type Column, columnsOf, expressionOf, snakeCase } from './column.ts';
import { findJoins } from './find-joins.ts';
import { findTexts } from './find-texts.ts';

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
  const declared: Record<string, RawTable> = {};
  for (const table of tables) {
    declared[table.name] = declareTable(table);
    comments.set(`/tables/${table.name}`, [describeTable(table)]);
  }
  const datasets: Record<string, RawDataset> = {};
  for (const table of tables.filter((candidate) => candidate !== roster?.table)) {
    const dataset = proposeDataset(table);
    const key = dataset && datasetKeyOf(table.name, Object.keys(datasets));
    if (key) datasets[key] = dataset;
  }
  const definition = {
    title,
    tables: declared,
    ...(roster && { roster: proposeRoster(roster, tables, comments) }),
    ...(Object.keys(datasets).length > 0 && { datasets }),
  };
  return { definition, comments };
}

function declareTable({ files, at, columns }: FoundTable): RawTable {
  if (at === '' && columns === undefined) return files;
  return { files, ...(at !== '' && { at }), ...(columns && { columns }) };
}

function describeTable({ shape, fileCount }: FoundTable): string {
  const fields = describeFields(shape);
  const files = fileCount > 1 ? `${fileCount} files, keyed by their stems: ` : '';
  return `${files}${describeShape(shape)}${fields ? `: ${fields}` : ''}`;
}

function proposeRoster(
  roster: RosterChoice,
  tables: readonly FoundTable[],
  comments: Proposal['comments'],
): RawRosterMapping {
  const { table, columns, id, name, rarity, stats } = roster;
  const texts = findTexts(name, tables);
  const nameExpression = expressionOf(name);
  const whole = rarity !== undefined && isWhole(rarity);
  const attributes = new Attributes([...RESERVED_ATTRIBUTES, 'id', 'name', 'rarity', 'attack', 'stats']);
  const lines = [
    `'id': ${idExpression(id)}`,
    `'name': ${texts ? `$text(${texts}, ${nameExpression}, ${nameExpression})` : nameExpression}`,
    ...(rarity && whole ? [`'rarity': ${attributeValueOf(rarity)}`] : []),
    ...attributes.add([
      ...(rarity && !whole ? [rarity] : []),
      ...chooseClasses(columns.filter(isOther(roster))),
    ]),
  ];
  const statLines = new Attributes([]).add(stats);
  if (statLines.length > 0) lines.push(`'stats': { ${statLines.join(', ')} }`);
  comments.set('/roster', [
    'The roster: $ is a row, $key its key, $tables all tables; "where" selects rows, "record" adds what only the full record has.',
  ]);
  const joins = findJoins(roster, tables);
  comments.set('/roster/entry', [
    ...describeRarity(rarity, whole),
    ...(joins.length > 0
      ? ['Rows of the same characters in other tables:', ...joins.map((join) => `- ${join}`)]
      : []),
  ]);
  return {
    from: table.name,
    ...(name.full ? {} : { where: `$boolean(${nameExpression})` }),
    entry: ['{', ...lines.map((line, index) => `  ${line}${index < lines.length - 1 ? ',' : ''}`), '}'],
  };
}

const MAX_LISTED_RARITIES = 8;

function describeRarity(rarity: Column | undefined, whole: boolean): string[] {
  if (rarity === undefined) return ['No field looks like a rarity, which must be a whole number.'];
  const field = expressionOf(rarity);
  const values = [...new Set(rarity.values)];
  if (whole) {
    return values.includes(0) ? [`${field} starts at 0. If 0 means one star, use $fromZero(${field}).`] : [];
  }
  const listed = values
    .slice(0, MAX_LISTED_RARITIES)
    .map((value) => JSON.stringify(value))
    .join(', ');
  return [
    `'rarity' must be a whole number, but here it is ${listed}. Map each: $get({${JSON.stringify(values[0])}: 1, …}, ${field}).`,
  ];
}

/** Returns whether a column is none of the roster's id, name and rarity. */
function isOther({ id, name, rarity }: RosterChoice): (column: Column) => boolean {
  return (column) => column !== id && column !== name && column !== rarity;
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

function idExpression(id: IdSource): string {
  if (id === 'key') return '$key';
  return id.kind === 'text' ? expressionOf(id) : `$string(${expressionOf(id)})`;
}

/** The attributes of a record, with unique names. */
class Attributes {
  readonly #used: Set<string>;

  /** @param used names that are not available */
  constructor(used: readonly string[]) {
    this.#used = new Set(used);
  }

  /** Adds an attribute for each column that can have one, and returns their JSONata expressions. */
  add(columns: readonly Column[]): string[] {
    return columns.flatMap((column) => {
      const own = attributeOf(column);
      const name = this.#used.has(own) ? `${own}_text` : own;
      if (this.#used.has(name) || name.startsWith('name_')) return [];
      this.#used.add(name);
      return [`'${name}': ${attributeValueOf(column)}`];
    });
  }
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
