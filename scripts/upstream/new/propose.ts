import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { compileGame } from '../../compile/game.ts';
import { stripMarkup } from '../../compile/library.ts';
import type { Finding } from '../../findings.ts';
import {
  DATASET_KEY,
  REQUIRED_DATASETS,
  RESERVED_ATTRIBUTES,
  RESERVED_DATASET_KEYS,
} from '../../format/dist-format.ts';
import { isKnownFile } from '../../read/files.ts';
import { matchPattern } from '../../read/patterns.ts';
import { makeFolder } from '../../system.ts';
import { addBuild } from '../add/add-build.ts';
import { findJoins, type Roster, URL_SAFE } from './choose-roster.ts';
import {
  attributeValueOf,
  type Column,
  chooseClasses,
  chooseId,
  cleaned,
  columnsOf,
  expressionOf,
  idExpression,
  idsOf,
  isWhole,
  rankNumbers,
} from './columns.ts';
import { findNames, type Names, sameInRegions, type Texts } from './names.ts';
import { isRequiredDataset, type Regions, type Table } from './tables.ts';
import { snakeCase } from './words.ts';
import type { RawTable } from '../../read/game-schema.ts';

/** How the rows of a table become records: the attributes of each by name, with their JSONata expressions. */
interface ProposedRows {
  table: Table;
  where: string[];
  /** The expression of a joined row, which attributes name `$joined`. */
  joined?: string | undefined;
  attributes: Map<string, string>;
  stats: Map<string, string>;
}

/** What is proposed: parts of it can be left out before it is written. */
export interface Draft {
  title: string;
  language: string | undefined;
  tables: readonly Table[];
  regions: Regions;
  roster: ProposedRows | undefined;
  datasets: Map<string, ProposedRows>;
  /** What tables have to be keyed by, by their names. */
  keys: Map<string, string | string[]>;
  /** The folder in that of a build that the dump goes to; `''` for the build's own. */
  into: string;
  /** What a person has to decide. */
  notes: string[];
}

const MAX_DATASETS = 40;
const MAX_FIELDS = 12;
/** Of more tables, only those are declared that are read. */
const MAX_DECLARED = 60;

/** Proposes the mapping of a dump. @param files all files of the dump */
export function proposeDraft(
  title: string,
  { tables, regions }: Pick<Draft, 'tables' | 'regions'>,
  roster: Roster | undefined,
  files: readonly string[],
  texts: Texts,
): Draft {
  const draft: Draft = {
    ...{ title, language: roster?.names.language, tables, regions, roster: undefined },
    ...{ datasets: new Map(), keys: new Map(), into: '', notes: [] },
  };
  if (roster) draft.roster = proposeRoster(roster, draft);
  // Of the same table in several languages, the first becomes a dataset.
  const order = ({ region }: Table) => [...regions.keys()].indexOf(region?.language ?? '');
  const rest = tables.filter((table) => {
    const same = sameInRegions(table, tables);
    const isRoster = roster && (table === roster.table || same.includes(roster.table));
    return !isRoster && same.every((other) => order(table) < order(other));
  });
  const proposals = rest.flatMap((table) => proposeDataset(table, draft, texts) ?? []);
  const best = new Set([...proposals].sort((a, b) => b.use - a.use).slice(0, MAX_DATASETS));
  for (const { key, rows, names } of proposals.filter((each) => best.has(each))) {
    if (!draft.datasets.has(key)) draft.datasets.set(key, rows);
    for (const [table, field] of names?.keys ?? []) draft.keys.set(table, field);
  }
  // Beside `build.json` a file that no table declares is served as it is: then the dump goes to a folder of its own.
  const declared = Object.values(declareTables(draft).declared);
  const matches = declared.map((table) => matchPattern(Object(table).files ?? table));
  const isServed = (file: string) =>
    !file.includes('/') && isKnownFile(file) && !matches.some((each) => each(file));
  draft.into = files.some(isRequiredDataset) || !files.some(isServed) ? '' : 'raw';
  return draft;
}

function proposeRoster(roster: Roster, draft: Draft): ProposedRows {
  const { table, id, names, rarity } = roster;
  const joins = findJoins(roster, draft.tables);
  const joined = roster.stats.length > 1 ? undefined : joins.find(({ stats }) => stats.length > 1);
  for (const [name, key] of names.keys) draft.keys.set(name, key);
  if (joined?.key !== undefined) draft.keys.set(joined.table.name, joined.key);
  const isSafe = idsOf(table, id).every((each) => URL_SAFE.test(each));
  const own = idExpression(id);
  const attributes = new Map([['id', isSafe ? own : `$replace(${own}, /[^A-Za-z0-9._~-]+/, '-')`]]);
  const isMarked = names.values.some((value) => typeof value === 'string' && stripMarkup(value) !== value);
  const isEscaped = names.values.some((value) => /&(#\w+|[a-z]+);/i.test(String(value)));
  const strip = (expression: string) => {
    const text = cleaned(expression, names.values);
    const stripped = isMarked ? `$strip(${text})` : text;
    return isEscaped ? `$unescape(${stripped})` : stripped;
  };
  attributes.set('name', strip(names.expression));
  for (const [language, expression] of names.translations)
    if (language !== names.language) attributes.set(`name_${language}`, strip(expression));
  const stars = rarity && starsOf(rarity);
  if (stars !== undefined) attributes.set('rarity', stars);
  const others = columnsOf(table).filter((column) => ![id, names.column, rarity].includes(column));
  addColumns(attributes, chooseClasses(others), ['rarity', 'attack', 'stats']);
  const same = sameInRegions(table, draft.tables).map(({ name }) => name);
  if (same.length > 0)
    draft.notes.push(
      `For the rows of other regions too, write "from": ${JSON.stringify([table.name, ...same])}; lists need a "key".`,
    );
  if (names.kind !== 'text')
    draft.notes.push('No texts were found for the names: here they are keys. Join the texts with $text.');
  if (stars === undefined)
    draft.notes.push(
      "'rarity' must be a whole number; none was found, or it is a text: map each value with $get({…: 1}, field).",
    );
  draft.notes.push(
    `stats are meant to be those at the highest level without equipment: ${joined?.of ? `these are of ${joined.of}` : 'correct which level they are of'}.`,
    ...(joins.length > 0 ? ['Rows of the same characters in other tables:'] : []),
    ...joins.slice(0, 30).map(({ row, key, table: { name } }) => {
      return `- ${row}${key === undefined ? '' : `, with "key": ${JSON.stringify(key)} in ${name}`}`;
    }),
  );
  const where = names.column.full || names.kind !== 'text' ? [] : [`$boolean(${expressionOf(names.column)})`];
  return { table, where, attributes, joined: joined?.row, stats: new Map(joined?.stats ?? roster.stats) };
}

/** The expression of a rarity, which is a whole number; of one that many upstreams count from 0 to 5, of the stars. */
function starsOf(column: Column): string | undefined {
  const field = expressionOf(column);
  if (!isWhole(column)) {
    const numbers = rankNumbers(column);
    return numbers && `$get(${JSON.stringify(numbers)}, ${field})`;
  }
  const { full, values } = column;
  const isFromZero = [...new Set(values)].sort().join() === '0,1,2,3,4,5';
  const isUsual = values.filter((value) => value === 0).length > values.length / 50;
  return full && isFromZero && isUsual ? `$fromZero(${field})` : attributeValueOf(column);
}

function addColumns(
  attributes: Map<string, string>,
  columns: readonly Column[],
  taken: readonly string[],
): void {
  const used = new Set<string>([...RESERVED_ATTRIBUTES, ...taken, ...attributes.keys()]);
  for (const column of columns) {
    const own = snakeCase(column.path.at(-1) ?? '');
    const name = used.has(own) ? `${own}_text` : own;
    if (used.has(name) || name.startsWith('name_')) continue;
    used.add(name);
    attributes.set(name, attributeValueOf(column));
  }
}

/** Proposes a dataset of a table's plain fields, and says how useful it seems; undefined without rows, ids or other fields. */
function proposeDataset(
  table: Table,
  draft: Draft,
  texts: Texts,
): { key: string; rows: ProposedRows; names: Names | undefined; use: number } | undefined {
  const { size } = table.rows;
  const id = size === 0 ? undefined : chooseId(table);
  if (id === undefined) return undefined;
  const named = findNames(table, id, texts, draft.tables);
  // A table can be keyed in one way only.
  const isAble = named?.keys.every(([name, key]) => String(draft.keys.get(name) ?? key) === key);
  const isNamed = named?.kind === 'text' && isAble && named.column.values.length >= size * 0.8;
  const names = isNamed ? named : undefined;
  const attributes = new Map([['id', idExpression(id)]]);
  if (names) attributes.set('name', cleaned(names.expression, names.values));
  for (const [language, expression] of names?.translations ?? [])
    if (language !== names?.language)
      attributes.set(`name_${language}`, cleaned(expression, names?.values ?? []));
  const columns = columnsOf(table).filter(
    (column) =>
      column !== id && column !== names?.column && column.path.length === 1 && column.kind !== 'mixed',
  );
  addColumns(attributes, columns.slice(0, MAX_FIELDS), ['name']);
  const base = snakeCase(table.region?.of ?? table.name);
  const key = (RESERVED_DATASET_KEYS as readonly string[]).includes(base) ? `${base}_rows` : base;
  if (attributes.size < 2 || !new RegExp(DATASET_KEY).test(key)) return undefined;
  const use = (names ? 4 : 0) + (size > 5 && size < 5000 ? 2 : 0) + Math.min(3, columns.length / 8);
  return { key, rows: { table, where: [], attributes, stats: new Map() }, names, use };
}

/** The tables that game.json declares, those of several regions once; and how many tables there are and are read. */
export function declareTables(draft: Draft): {
  declared: Record<string, RawTable>;
  read: number;
  all: number;
} {
  const parts = [...(draft.roster ? [draft.roster] : []), ...draft.datasets.values()];
  const text = parts.map(({ attributes, joined }) => [joined, ...attributes.values()].join(' ')).join(' ');
  const named = new Set([...text.matchAll(/\$tables\.(\w+)/g)].map(([, name]) => name));
  const isRead = ({ name }: Table) => named.has(name) || parts.some(({ table }) => table.name === name);
  const declared: Record<string, RawTable> = {};
  for (const table of draft.tables) {
    const { region, files, at, options } = table;
    const group = region ? draft.tables.filter((other) => other.region?.of === region.of) : [table];
    const name = region?.of ?? table.name;
    if (name in declared || (draft.tables.length > MAX_DECLARED && !group.some(isRead))) continue;
    const keys = group.map(
      (each) => (named.has(each.name) ? draft.keys.get(each.name) : undefined) ?? each.key,
    );
    const key = keys.find((each) => each !== undefined);
    const languages = group.flatMap((each) => each.region?.language ?? []);
    const regions = languages.length === draft.regions.size ? (true as const) : languages;
    const more = {
      ...(at !== '' && { at }),
      ...(key !== undefined && { key }),
      ...options,
      ...(languages.length > 0 && { regions }),
    };
    const place = region ? files : path.posix.join(draft.into, files);
    declared[name] = Object.keys(more).length === 0 ? place : { files: place, ...more };
  }
  return { declared, read: draft.tables.filter(isRead).length, all: draft.tables.length };
}

export const ON_PULL_PLANNER = `// Every game has the dataset "pull_planner": the cost of a pull, pity and guarantees, such as {"currency": "Gem", "cost_per_pull": 160, "pity": 90}.
// Write pull_planner.json in the folder of your first build (later builds inherit it), or map it in "datasets".
`;

/** Writes a draft as game.json, below comments. */
export function renderDraft(draft: Draft, head: readonly string[] = []): string {
  const { language, roster, datasets, regions, into } = draft;
  const { declared } = declareTables(draft);
  const isRegional = Object.values(declared).some((table) => Object(table).regions !== undefined);
  const folders = [...regions].map(([name, folder]) => [name, path.posix.join(into, folder)]);
  const definition = {
    ...{ $schema: '../game.schema.json', title: draft.title, draft: true },
    ...(language !== undefined && { language }),
    ...(isRegional && { regions: Object.fromEntries(folders) }),
    tables: declared,
    ...(roster && { roster: renderRows(roster, true) }),
    ...(datasets.size > 0 && {
      datasets: Object.fromEntries([...datasets].map(([key, rows]) => [key, renderRows(rows, false)])),
    }),
  };
  const comments = [...head, ...draft.notes].map(
    (text) => `// ${text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')}\n`,
  );
  return `${comments.join('')}${ON_PULL_PLANNER}${JSON.stringify(definition, null, 2)}\n`;
}

function renderRows({ table, where, joined, attributes, stats }: ProposedRows, isLong: boolean) {
  const pairs = (map: Map<string, string>) =>
    [...map].map(([name, expression]) => `'${name}': ${expression}`);
  const lines = [
    ...pairs(attributes),
    ...(stats.size > 0 ? [`'stats': { ${pairs(stats).join(', ')} }`] : []),
  ];
  const object = ['{', ...lines.map((line, at) => `  ${line}${at < lines.length - 1 ? ',' : ''}`), '}'];
  const long = joined === undefined ? object : [`($joined := ${joined};`, ...object, ')'];
  return {
    from: table.name,
    ...(where.length > 0 && { where: where.join(' and ') }),
    entry: isLong ? long : `{ ${lines.join(', ')} }`,
  };
}

const MAX_ROUNDS = 8;

/** Checks a draft on its dump as `gamedata check` does, and leaves out attributes and datasets with an error. Returns lines for people. */
export async function checkProposal(draft: Draft, dump: string): Promise<string[]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'gamedata-new-'));
  const game = path.posix.join(folder, 'game');
  const leftOut: string[] = [];
  const some = (title: string, lines: readonly string[]) => {
    const more = lines.length > 10 ? [`  and ${lines.length - 10} more`] : [];
    return lines.length === 0 ? [] : [`${title}:`, ...lines.slice(0, 10).map((line) => `  ${line}`), ...more];
  };
  try {
    await makeFolder(game);
    await writeFile(path.join(game, 'game.json'), renderDraft(draft));
    const now = '2000-01-01T00:00:00Z';
    const { dump: listed } = await addBuild(dump, {
      game,
      build: '1',
      into: draft.into,
      partial: false,
      now,
    });
    for (const key of REQUIRED_DATASETS)
      if (draft.into !== '' || !listed.files.some((file) => file.path.startsWith(`${key}.`)))
        await writeFile(path.join(game, '1', `${key}.json`), '{"unknown": true}');
    for (let round = 0; ; round++) {
      await writeFile(path.join(game, 'game.json'), renderDraft(draft));
      const { findings } = await compileGame(game, 'game');
      const errors = findings.filter(({ severity }) => severity === 'error');
      const notes =
        round === MAX_ROUNDS ? [] : [...new Set(errors.flatMap((error) => leaveOut(draft, error)))];
      leftOut.push(...notes);
      if (notes.length > 0) continue;
      const left = errors.map(({ check, found, expected }) => `${found}; expected ${expected} (${check})`);
      return [
        ...some('left out, because gamedata check found an error there', leftOut),
        ...(left.length === 0 ? ['gamedata check finds no error in the proposal'] : []),
        ...some('gamedata check still finds errors in the proposal; correct them after gamedata add', left),
      ];
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Takes out of a draft what an error is about. Returns what was taken out. */
function leaveOut(draft: Draft, { check, place, of = '', fix = '', found, expected }: Finding): string[] {
  const text = `${place.pointer} ${fix} ${found} ${expected}`;
  const names = [...text.matchAll(/\/datasets\/(\w+)|\/(roster)\/| of ([a-z]\w*)/g)].flatMap((match) =>
    match.slice(1),
  );
  const parts = [...(draft.roster ? [['roster', draft.roster] as const] : []), ...draft.datasets];
  const isNamed = (name: string) =>
    names.includes(name) ||
    (name === 'roster' && (names.includes('characters') || of.startsWith('characters')));
  const exact = parts.filter(([name]) => isNamed(name));
  const isRead = (name: string) =>
    draft.tables.some((table) => table.name === name && place.file.endsWith(table.files));
  const about =
    exact.length > 0 ? exact : parts.filter(([, rows]) => isRead(rows.table.name) || check === 'table-key');
  const ofFound = /at "\/([^"/]+)|(?:texts?|names?) [^"]*"([^"./]+)"| of "(stats\.[^"]+)"/
    .exec(found)
    ?.slice(1);
  const attribute = ofFound?.find(Boolean) ?? (of.includes('.') ? of.slice(of.indexOf('.') + 1) : undefined);
  const why = `${found} (${check})`;
  return about.flatMap(([key, rows]) => {
    const stat = attribute?.startsWith('stats.') ? attribute.slice('stats.'.length) : undefined;
    if (stat !== undefined && rows.stats.delete(stat)) return `${key}.${attribute}: ${why}`;
    if (attribute === 'stats' && rows.stats.size > 0) {
      rows.stats.clear();
      return `${key}.stats: ${why}`;
    }
    const isOwn = attribute !== undefined && attribute !== 'id' && attribute !== 'name';
    if (isOwn && rows.attributes.delete(attribute)) return `${key}.${attribute}: ${why}`;
    const hasName = `$exists(${rows.attributes.get('name')})`;
    if (key === 'roster' && check === 'character-schema' && !rows.where.includes(hasName)) {
      rows.where.push(hasName);
      return `records without a name: ${why}`;
    }
    // A table cannot be keyed as a look-up needs.
    const joined = [...rows.attributes].filter(
      ([own, value]) => own !== 'id' && own !== 'name' && value.includes('$get($tables.'),
    );
    if (check === 'table-key' && (joined.length > 0 || rows.joined !== undefined)) {
      for (const [own] of joined) rows.attributes.delete(own);
      if (rows.joined !== undefined) rows.stats.clear();
      rows.joined = undefined;
      return `${key}: what is looked up in other tables: ${why}`;
    }
    // A fault of a name is one of a record: the others stay.
    const [, record] = / of record "([^"\\]+)"/.exec(found) ?? [];
    if (attribute === 'name' && record !== undefined) {
      rows.where.push(`${rows.attributes.get('id')} != '${record.replaceAll("'", "\\'")}'`);
      return `record ${record} of ${key}: ${why}`;
    }
    if (key === 'roster') draft.roster = undefined;
    else draft.datasets.delete(key);
    return `${key}: ${why}`;
  });
}
