import type { FoundTable } from '../dump/find-tables.ts';
import { describeFields, describeShape } from '../dump/table-shape.ts';
import { DATASET_KEY, RESERVED_ATTRIBUTES, RESERVED_DATASET_KEYS } from '../../../core/format/dist-format.ts';
import type { RawGameDefinition } from '../../../core/read/definition.ts';
import type { RawTable } from '../../../core/read/table-definition.ts';
import { Attributes } from './attributes.ts';
import { chooseId } from './choose-columns.ts';
import type { RosterChoice } from './choose-roster.ts';
import { columnsOfTable, snakeCase } from './column.ts';
import type { Join } from './find-joins.ts';
import { findNames } from './names.ts';
import { idExpression, proposeRoster } from './propose-roster.ts';
import { type ProposedRows, renderDataset, renderRoster } from './proposed-rows.ts';
import { TextSources } from './text-sources.ts';

/** A definition, and comments on its parts by JSON Pointer. */
export interface Proposal {
  definition: RawGameDefinition;
  comments: Map<string, string[]>;
}

/** What is proposed, before it is rendered: parts of it can be left out. */
export interface Draft {
  title: string;
  language: string | undefined;
  tables: readonly FoundTable[];
  roster: ProposedRows | undefined;
  /** By key. */
  datasets: Map<string, ProposedRows>;
  keys: Map<string, NonNullable<Join['key']>>;
  comments: Proposal['comments'];
}

/** The most datasets of a proposal: a dump can have a thousand tables. */
const MAX_DATASETS = 40;

/** Proposes the mapping of a dump. Pure. */
export function proposeDraft(
  title: string,
  tables: readonly FoundTable[],
  roster: RosterChoice | undefined,
  sources: TextSources = new TextSources(tables),
): Draft {
  const comments: Proposal['comments'] = new Map();
  const proposed = roster && proposeRoster(roster, tables, comments);
  const keys: Draft['keys'] = new Map(proposed?.keys);
  const datasets = new Map<string, ProposedRows>();
  const unions = new Set(tables.map(({ member }) => member?.of));
  const others = tables.filter(
    (each) => each !== roster?.table && !proposed?.same.includes(each) && !unions.has(each.name),
  );
  const found = others.flatMap((table) => proposeDataset(table, tables, sources, keys) ?? []);
  const best = found.length > MAX_DATASETS ? new Set(found.sort(byUse).slice(0, MAX_DATASETS)) : undefined;
  for (const dataset of found.filter((each) => best === undefined || best.has(each))) {
    const key = datasetKeyOf(dataset.rows.table.name, [...datasets.keys()]);
    if (key === undefined) continue;
    datasets.set(key, dataset.rows);
    for (const [table, of] of dataset.keys) keys.set(table, of);
  }
  return { title, language: proposed?.language, tables, roster: proposed?.rows, datasets, keys, comments };
}

/** Proposes a definition for the tables of a dump. Pure. */
export function proposeDefinition(
  title: string,
  tables: readonly FoundTable[],
  roster: RosterChoice | undefined,
): Proposal {
  return renderDraft(proposeDraft(title, tables, roster));
}

/** Writes the definition of a draft. It declares the tables that the mapping reads, or all if they are few. */
export function renderDraft(draft: Draft): Proposal {
  const { title, language, tables, keys, datasets } = draft;
  const comments = new Map(draft.comments);
  const roster = draft.roster && renderRoster(draft.roster);
  const rendered = Object.fromEntries([...datasets].map(([key, rows]) => [key, renderDataset(rows)]));
  const text = JSON.stringify([roster, rendered]);
  const named = new Set([...text.matchAll(/\$tables\.(\w+)/g)].map(([, name]) => name));
  const from = new Set([...(roster ? [roster] : []), ...Object.values(rendered)].map((rows) => rows.from));
  const real = tables.filter(({ member }) => member === undefined);
  const read = real.filter(({ name }) => named.has(name) || from.has(name));
  const declared: Record<string, RawTable> = {};
  for (const table of real.length > MAX_DECLARED ? read : real) {
    declared[table.name] = declareTable(table, named.has(table.name) ? keys.get(table.name) : undefined);
    comments.set(`/tables/${table.name}`, [describeTable(table)]);
  }
  if (real.length > MAX_DECLARED)
    comments.set('/tables', [
      `The ${read.length} tables that are read below; gamedata new lists all ${real.length}. Each can be added here.`,
    ]);
  if (roster === undefined) for (const key of ['/roster', '/roster/entry']) comments.delete(key);
  const definition: RawGameDefinition = {
    ...{ $schema: '../game.schema.json', title, draft: true },
    ...(language !== undefined && { language }),
    tables: declared,
    ...(roster && { roster }),
    ...(datasets.size > 0 && { datasets: rendered }),
  };
  return { definition, comments };
}

/** Of more tables, only those are declared that are read. */
const MAX_DECLARED = 60;

function declareTable({ files, at, columns, delimiter, key: own }: FoundTable, key: Join['key']): RawTable {
  const by = key ?? own;
  const options = {
    ...(at !== '' && { at }),
    ...(by !== undefined && { key: by }),
    ...(delimiter !== undefined && { delimiter }),
    ...(columns && { columns }),
  };
  return Object.keys(options).length === 0 ? files : { files, ...options };
}

function describeTable({ shape, fileCount, key }: FoundTable): string {
  const fields = describeFields(shape);
  const keyed = key === undefined ? 'keyed by their stems' : `lists whose rows are keyed by ${key}`;
  const files = fileCount > 1 ? `${fileCount} files, ${keyed}: ` : '';
  return `${files}${describeShape(shape)}${fields ? `: ${fields}` : ''}`;
}

const MAX_FIELDS = 12;

/** A dataset, what its joins need, and how useful it seems. */
interface ProposedDataset {
  rows: ProposedRows;
  keys: [table: string, key: string | string[]][];
  use: number;
}

function byUse(a: ProposedDataset, b: ProposedDataset): number {
  return b.use - a.use;
}

/** Proposes a dataset of a table's plain fields; undefined when it has no rows, no ids, or no other fields. */
function proposeDataset(
  table: FoundTable,
  tables: readonly FoundTable[],
  sources: TextSources,
  known: Draft['keys'],
): ProposedDataset | undefined {
  if (!('rows' in table.shape)) return undefined;
  const columns = columnsOfTable(table);
  const id = chooseId(table, columns);
  if (id === undefined) return undefined;
  const found = findNames(table, id, sources, tables);
  // A table can be keyed in one way only.
  const able = found?.keys.every(([name, key]) => String(known.get(name) ?? key) === String(key));
  const names =
    found?.kind === 'text' && able && found.column.values.length >= table.shape.rows.size * 0.8
      ? found
      : undefined;
  const others = columns.filter(
    (column) => column !== id && column !== names?.column && column.level === 1 && column.kind !== 'mixed',
  );
  const attributes: [string, string][] = [
    ['id', idExpression(id)],
    ...(names ? [['name', names.expression] as [string, string]] : []),
    ...(names?.translations ?? []).map(([language, expression]): [string, string] => [
      `name_${language}`,
      expression,
    ]),
    ...new Attributes([...RESERVED_ATTRIBUTES, 'id', 'name']).add(others).slice(0, MAX_FIELDS),
  ];
  if (attributes.length < 2) return undefined;
  const count = table.shape.rows.size;
  const use =
    (names ? 4 : 0) +
    (count > 5 && count < 5000 ? 2 : 0) +
    (names && names.translations.length > 0 ? 1 : 0) +
    Math.min(3, columns.length / 8);
  return {
    rows: { table, where: [], joined: undefined, attributes, stats: [] },
    keys: names?.keys ?? [],
    use,
  };
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
