import path from 'node:path';
import { describeFieldsOf, describeRows, type FoundTable, isRequiredDataset } from '../dump/find-tables.ts';
import { DATASET_KEY, RESERVED_ATTRIBUTES, RESERVED_DATASET_KEYS } from '../../format/dist-format.ts';
import type { RawGameDefinition } from '../../read/game/definition.ts';
import { isKnownFile } from '../../read/formats/formats.ts';
import { matchPattern } from '../../read/match-pattern.ts';
import type { RawTable } from '../../read/game/table-definition.ts';
import { Attributes } from './attributes.ts';
import { chooseId } from './choose-columns.ts';
import type { RosterChoice } from './choose-roster.ts';
import { columnsOf, columnsOfTable, snakeCase } from './column.ts';
import type { Join } from './find-joins.ts';
import { hasControls, removeControls } from './find-markup.ts';
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
  /** The folder in that of a build that the dump goes to; `''` for the build's own. */
  into: string;
}

/** The folder for a dump whose files would be served as they are beside those of a build. */
const RAW = 'raw';

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
  const proposed = roster && proposeRoster(roster, tables, sources, comments);
  const keys: Draft['keys'] = new Map(proposed?.keys);
  const datasets = new Map<string, ProposedRows>();
  const unions = new Set(tables.map(({ member }) => member?.of));
  const others = tables.filter(
    (each) => each !== roster?.table && !proposed?.same.includes(each) && !unions.has(each.name),
  );
  const proposals = others.flatMap((table) => proposeDataset(table, tables, sources, keys) ?? []);
  const best =
    proposals.length > MAX_DATASETS ? new Set(proposals.sort(byUse).slice(0, MAX_DATASETS)) : undefined;
  for (const dataset of proposals.filter((each) => best === undefined || best.has(each))) {
    const key = datasetKeyOf(dataset.rows.table.name, [...datasets.keys()]);
    if (key === undefined) continue;
    datasets.set(key, dataset.rows);
    for (const [table, of] of dataset.keys) keys.set(table, of);
  }
  return {
    title,
    language: proposed?.language,
    tables,
    roster: proposed?.rows,
    datasets,
    keys,
    comments,
    into: '',
  };
}

/** Writes the definition of a draft. It declares the tables that the mapping reads, or all if they are few. */
export function renderDraft(draft: Draft): Proposal {
  const { title, language, tables, keys, datasets } = draft;
  const comments = new Map(draft.comments);
  const roster = draft.roster && renderRoster(draft.roster);
  const rendered = Object.fromEntries([...datasets].map(([key, rows]) => [key, renderDataset(rows)]));
  const text = JSON.stringify([roster, rendered]);
  const named = new Set([...text.matchAll(/\$tables\.(\w+)/g)].map(([, name]) => name));
  const from = new Set(
    [...(roster ? [roster] : []), ...Object.values(rendered)].map((rows) =>
      typeof rows === 'string' ? '' : rows.from,
    ),
  );
  const real = tables.filter(({ member }) => member === undefined);
  const read = real.filter(({ name }) => named.has(name) || from.has(name));
  const declared: Record<string, RawTable> = {};
  for (const table of real.length > MAX_DECLARED ? read : real) {
    const key = named.has(table.name) ? keys.get(table.name) : undefined;
    declared[table.name] = declareTable({ ...table, files: path.posix.join(draft.into, table.files) }, key);
    comments.set(`/tables/${table.name}`, [describeTable(table)]);
  }
  if (real.length > MAX_DECLARED)
    comments.set('/tables', [
      `The ${read.length} tables that are read below; gamedata new --list-tables lists all ${real.length}. Each can be added here.`,
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

/**
 * Chooses where the files of a dump go in the folder of a build. Beside `build.json` a file that no table declares is served as it is.
 *
 * @param files all files of the dump
 */
export function chooseFolder(draft: Draft, files: readonly string[]): string {
  const { tables = {} } = renderDraft(draft).definition;
  const declared = Object.values(tables).flatMap((table) =>
    table === null ? [] : matchPattern(typeof table === 'string' ? table : table.files),
  );
  const isServed = (file: string) =>
    !file.includes('/') && isKnownFile(file) && !declared.some((matches) => matches(file));
  return files.some(isRequiredDataset) || !files.some(isServed) ? '' : RAW;
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

function describeTable(table: FoundTable): string {
  const { fileCount, key } = table;
  const fields = describeFieldsOf(table);
  const keyed = key === undefined ? 'keyed by their stems' : `lists whose rows are keyed by ${key}`;
  const files = fileCount > 1 ? `${fileCount} files, ${keyed}: ` : '';
  return `${files}${describeRows(table)}${fields ? `: ${fields}` : ''}`;
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
  draftKeys: Draft['keys'],
): ProposedDataset | undefined {
  if (table.groups) return proposeGroups(table, table.groups);
  if (!('rows' in table.shape)) return undefined;
  const columns = columnsOfTable(table);
  const id = chooseId(table, columns);
  if (id === undefined) return undefined;
  const namesOfTable = findNames(table, id, sources, tables);
  // A table can be keyed in one way only.
  const able = namesOfTable?.keys.every(([name, key]) => String(draftKeys.get(name) ?? key) === String(key));
  const names =
    namesOfTable?.kind === 'text' && able && namesOfTable.column.values.length >= table.shape.rows.size * 0.8
      ? namesOfTable
      : undefined;
  const others = columns.filter(
    (column) => column !== id && column !== names?.column && column.level === 1 && column.kind !== 'mixed',
  );
  const clean = names?.values.some(hasControls) ? removeControls : (expression: string) => expression;
  const attributes: [string, string][] = [
    ['id', idExpression(id)],
    ...(names ? [['name', clean(names.expression)] as [string, string]] : []),
    ...(names?.translations ?? []).map(([language, expression]): [string, string] => [
      `name_${language}`,
      clean(expression),
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

/** Proposes a dataset with a record for each group of rows, which has them as a list. */
function proposeGroups(
  table: FoundTable,
  { kind, rows }: NonNullable<FoundTable['groups']>,
): ProposedDataset | undefined {
  const columns = columnsOf(rows).filter((column) => column.level === 1 && column.kind !== 'mixed');
  const keyed: [string, string][] = kind === 'keyed' ? [['id', '$id']] : [];
  const attributes = [...keyed, ...new Attributes(['id']).add(columns).slice(0, MAX_FIELDS)];
  if (attributes.length < 2) return undefined;
  const hasNames = attributes.some(([name]) => name === 'name');
  return {
    rows: { table, where: [], joined: undefined, attributes, stats: [] },
    keys: [],
    use: (hasNames ? 4 : 0) + Math.min(3, columns.length / 8),
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
