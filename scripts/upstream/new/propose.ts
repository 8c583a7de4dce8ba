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
import { attributeOf, type Column, chooseClasses, chooseId, columnsOf, idsOf, textOf } from './columns.ts';
import { findNames, type Names, sameInRegions, type TextTable } from './names.ts';
import { findJoins, type Roster, URL_SAFE } from './roster.ts';
import { isRequiredDataset, type Regions, type Table } from './tables.ts';
import { snakeCase } from './words.ts';
import type { RawTable } from '../../read/game-schema.ts';

/** How the rows of a table become records: the attributes of each by name, with their JSONata expressions. */
interface Mapping {
  table: Table;
  where: string[];
  /** The expression of a row of another table, which stats name `$joined`. */
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
  /** The roster, and datasets by their keys. */
  mappings: Map<string, Mapping>;
  /** What tables have to be keyed by, by their names. */
  keys: Map<string, string | string[]>;
  /** The folder in that of a build that the dump goes to; `''` for the build's own. */
  into: string;
  /** What a person has to decide. */
  notes: string[];
}

const ROSTER = 'roster';
const MAX_DATASETS = 40;
const MAX_FIELDS = 12;
/** Of more tables, only those are declared that are read. */
const MAX_DECLARED = 60;

/** Proposes the mapping of a dump. @param files all files of the dump */
export function proposeDraft(
  found: Pick<Draft, 'title' | 'tables' | 'regions'>,
  roster: Roster | undefined,
  files: readonly string[],
  texts: readonly TextTable[],
): Draft {
  const { tables, regions } = found;
  const draft: Draft = {
    ...{ ...found, language: roster?.names.language, mappings: new Map() },
    ...{ keys: new Map(), into: '', notes: [] },
  };
  if (roster) draft.mappings.set(ROSTER, mapRoster(roster, draft));
  // Of the same table in several languages, the first becomes a dataset.
  const order = ({ region }: Table) => [...regions.keys()].indexOf(region?.language ?? '');
  const rest = tables.filter((table) => {
    const same = sameInRegions(table, tables);
    const isRoster = roster && [table, ...same].includes(roster.table);
    return !isRoster && same.every((other) => order(table) < order(other));
  });
  const proposals = rest.flatMap((table) => mapDataset(table, draft, texts) ?? []);
  const best = new Set([...proposals].sort((a, b) => b.use - a.use).slice(0, MAX_DATASETS));
  for (const { key, mapping, names } of proposals.filter((each) => best.has(each))) {
    if (!draft.mappings.has(key)) draft.mappings.set(key, mapping);
    for (const [table, field] of names?.keys ?? []) draft.keys.set(table, field);
  }
  // Beside `build.json` a file that no table declares is served as it is: then the dump goes to a folder of its own.
  const declared = Object.values(declareTables(draft).declared);
  const matches = declared.map((table) => matchPattern(Object(table).files ?? table));
  const isServed = (file: string) =>
    !file.includes('/') && isKnownFile(file) && !matches.some((each) => each(file));
  if (!files.some(isRequiredDataset) && files.some(isServed)) draft.into = 'raw';
  return draft;
}

function mapRoster(roster: Roster, { tables, keys, notes }: Draft): Mapping {
  const { table, id, names, rarity } = roster;
  const joins = findJoins(roster, tables);
  const joined = roster.stats.length > 1 ? undefined : joins.find(({ stats }) => stats.length > 1);
  for (const [name, key] of names.keys) keys.set(name, key);
  if (joined?.key !== undefined) keys.set(joined.table.name, joined.key);
  const isSafe = idsOf(table, id).every((each) => URL_SAFE.test(each));
  const own = isSafe ? textOf(id) : `$replace(${textOf(id)}, /[^A-Za-z0-9._~-]+/, '-')`;
  const attributes = new Map([['id', own], ...nameAttributes(names)]);
  if (rarity?.stars !== undefined) attributes.set('rarity', rarity.stars);
  const others = columnsOf(table).filter((column) => ![id, names.column, rarity?.column].includes(column));
  addColumns(attributes, chooseClasses(others), ['rarity', 'attack', 'stats']);
  const same = sameInRegions(table, tables).map(({ name }) => name);
  const from = JSON.stringify([table.name, ...same]);
  const level = joined?.of ? `these are of ${joined.of}` : 'correct which level they are of';
  notes.push(
    ...(same.length > 0
      ? [`For the rows of other regions too, write "from": ${from}; lists need a "key".`]
      : []),
    ...(names.readable ? [] : ['The names are keys, whose texts were not found: join them with $text.']),
    ...(rarity?.stars ? [] : ["'rarity' must be a whole number: map each value with $get({…: 1}, field)."]),
    `stats are meant to be those at the highest level without equipment: ${level}.`,
    ...(joins.length > 0 ? ['Rows of the same characters in other tables:'] : []),
    ...joins
      .slice(0, 30)
      .map(({ row, key }) => `- ${row}${key ? `, with "key": ${JSON.stringify(key)}` : ''}`),
  );
  const where = names.readable && !names.column.full ? [`$boolean(${names.column.expression})`] : [];
  return { table, where, attributes, joined: joined?.row, stats: new Map(joined?.stats ?? roster.stats) };
}

/** The attributes of a name in all its languages, without markup. */
function nameAttributes({ expression, language, translations, values }: Names): [string, string][] {
  const texts = values.map(String);
  const isMarked = texts.some((text) => stripMarkup(text) !== text);
  const isEscaped = texts.some((text) => /&(#\w+|[a-z]+);/i.test(text));
  const clean = (name: string, text: string): [string, string] => {
    const stripped = isMarked ? `$strip(${text})` : text;
    return [name, isEscaped ? `$unescape(${stripped})` : stripped];
  };
  const others = translations.filter(([each]) => each !== language);
  return [clean('name', expression), ...others.map(([each, text]) => clean(`name_${each}`, text))];
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
    attributes.set(name, attributeOf(column));
  }
}

/** Proposes a dataset of a table's plain fields, and says how useful it seems; undefined without rows, ids or other fields. */
function mapDataset(table: Table, draft: Draft, texts: readonly TextTable[]) {
  const { size } = table.rows;
  const id = size === 0 ? undefined : chooseId(table);
  if (id === undefined) return undefined;
  const named = findNames(table, id, draft.tables, texts);
  // A table can be keyed in one way only.
  const isAble = named?.keys.every(([name, key]) => String(draft.keys.get(name) ?? key) === key);
  const names = named?.readable && isAble && named.column.values.length >= size * 0.8 ? named : undefined;
  const attributes = new Map([['id', textOf(id)], ...(names ? nameAttributes(names) : [])]);
  const columns = columnsOf(table).filter(
    (column) => ![id, names?.column].includes(column) && column.path.length === 1 && column.kind !== 'mixed',
  );
  addColumns(attributes, columns.slice(0, MAX_FIELDS), ['name']);
  const base = snakeCase(table.region?.of ?? table.name);
  const key = [...RESERVED_DATASET_KEYS, ROSTER].includes(base) ? `${base}_rows` : base;
  if (attributes.size < 2 || !new RegExp(DATASET_KEY).test(key)) return undefined;
  const use = (names ? 4 : 0) + (size > 5 && size < 5000 ? 2 : 0) + Math.min(3, columns.length / 8);
  const mapping: Mapping = { table, where: [], attributes, stats: new Map() };
  return { key, mapping, names, use };
}

/** The tables that game.json declares, those of several regions once; and which of the draft's tables are read. */
export function declareTables({ mappings, tables, regions, keys, into }: Draft) {
  const all = [...mappings.values()];
  const text = all
    .map(({ attributes, joined, stats }) => [stats.size && joined, ...attributes.values()].join())
    .join();
  const named = new Set([...text.matchAll(/\$tables\.(\w+)/g)].map(([, name]) => name));
  const isRead = (table: Table) => named.has(table.name) || all.some((mapping) => mapping.table === table);
  const declared: Record<string, RawTable> = {};
  for (const table of tables) {
    const { region, files, at, options } = table;
    const group = region ? [table, ...sameInRegions(table, tables)] : [table];
    const name = region?.of ?? table.name;
    if (name in declared || (tables.length > MAX_DECLARED && !group.some(isRead))) continue;
    const key = group.map((each) => (named.has(each.name) ? keys.get(each.name) : undefined)).find(Boolean);
    const languages = group.flatMap((each) => each.region?.language ?? []);
    const more = {
      ...(at !== '' && { at }),
      ...(key !== undefined && { key }),
      ...options,
      ...(region && { regions: languages.length === regions.size ? (true as const) : languages }),
    };
    const place = region ? files : path.posix.join(into, files);
    declared[name] = Object.keys(more).length === 0 ? place : { files: place, ...more };
  }
  return { declared, read: tables.filter(isRead) };
}

export const ON_PULL_PLANNER = `// Every game has the dataset "pull_planner": the cost of a pull, pity and guarantees, such as {"currency": "Gem", "cost_per_pull": 160, "pity": 90}.
// Write pull_planner.json in the folder of your first build (later builds inherit it), or map it in "datasets".
`;

/** Writes a draft as game.json, below comments. */
export function renderDraft(draft: Draft, head: readonly string[] = []): string {
  const { title, language, mappings, regions, into, notes } = draft;
  const { declared } = declareTables(draft);
  const isRegional = Object.values(declared).some((table) => Object(table).regions !== undefined);
  const folders = [...regions].map(([name, folder]) => [name, path.posix.join(into, folder)]);
  const { roster, ...datasets } = Object.fromEntries(
    [...mappings].map(([key, each]) => [key, renderMapping(each, key)]),
  );
  const definition = {
    $schema: '../game.schema.json',
    title,
    draft: true,
    language,
    regions: isRegional ? Object.fromEntries(folders) : undefined,
    tables: declared,
    roster,
    datasets: Object.keys(datasets).length > 0 ? datasets : undefined,
  };
  const comments = [...head, ...notes].map((text) => `// ${text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')}\n`);
  return `${comments.join('')}${ON_PULL_PLANNER}${JSON.stringify(definition, null, 2)}\n`;
}

function renderMapping({ table, where, joined, attributes, stats }: Mapping, key: string) {
  const pairs = (map: Map<string, string>) =>
    [...map].map(([name, expression]) => `'${name}': ${expression}`);
  const lines = [
    ...pairs(attributes),
    ...(stats.size > 0 ? [`'stats': { ${pairs(stats).join(', ')} }`] : []),
  ];
  const long = ['{', ...lines.map((line, at) => `  ${line}${at < lines.length - 1 ? ',' : ''}`), '}'];
  const entry = joined === undefined || stats.size === 0 ? long : [`($joined := ${joined};`, ...long, ')'];
  return {
    from: table.name,
    ...(where.length > 0 && { where: where.join(' and ') }),
    entry: key === ROSTER ? entry : `{ ${lines.join(', ')} }`,
  };
}

const MAX_ROUNDS = 8;

/** Checks a draft on its dump as `gamedata check` does, and leaves out attributes and datasets with an error. Returns lines for people. */
export async function checkProposal(draft: Draft, dump: string): Promise<string[]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'gamedata-new-'));
  const game = path.posix.join(folder, 'game');
  const leftOut: string[] = [];
  const list = (title: string, lines: readonly string[]) => [
    ...(lines.length > 0 ? [`${title}:`] : []),
    ...lines.slice(0, 10).map((line) => `  ${line}`),
    ...(lines.length > 10 ? [`  and ${lines.length - 10} more`] : []),
  ];
  try {
    await makeFolder(game);
    await writeFile(path.join(game, 'game.json'), renderDraft(draft));
    const options = { game, build: '1', into: draft.into, partial: false, now: '2000-01-01T00:00:00Z' };
    const { dump: listed } = await addBuild(dump, options);
    for (const key of REQUIRED_DATASETS)
      if (draft.into !== '' || !listed.files.some((file) => file.path.startsWith(`${key}.`)))
        await writeFile(path.join(game, '1', `${key}.json`), '{"unknown": true}');
    for (let round = 0; ; round++) {
      await writeFile(path.join(game, 'game.json'), renderDraft(draft));
      const { findings } = await compileGame(game, 'game');
      const errors = findings.filter(({ severity }) => severity === 'error');
      const taken = round === MAX_ROUNDS ? [] : errors.flatMap((error) => leaveOut(draft, error));
      leftOut.push(...new Set(taken));
      if (taken.length > 0) continue;
      const left = errors.map(({ check, found, expected }) => `${found}; expected ${expected} (${check})`);
      return [
        ...list('left out, because gamedata check found an error there', leftOut),
        ...(left.length === 0 ? ['gamedata check finds no error in the proposal'] : []),
        ...list('gamedata check still finds errors in the proposal; correct them after gamedata add', left),
      ];
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Takes out of a draft what an error is about: an attribute, the records without a readable name, or else a mapping. Returns what was taken out. */
function leaveOut(
  { mappings }: Draft,
  { check, place, of = '', fix = '', found, expected }: Finding,
): string[] {
  const text = `${place.pointer} ${fix} ${found} ${expected}`;
  const named = [...text.matchAll(/\/datasets\/(\w+)|\/(roster)\/| of ([a-z]\w*)/g)].flatMap((match) =>
    match.slice(1),
  );
  const isRoster = named.includes('characters') || of.startsWith('characters');
  const exact = [...mappings.keys()].filter((key) => named.includes(key) || (key === ROSTER && isRoster));
  const reading = [...mappings].filter(
    ([, { table }]) => check === 'table-key' || place.file.endsWith(table.files),
  );
  const quoted = /at "\/([^"/]+)|(?:texts?|names?) [^"]*"([^"./]+)"| of "(stats\.[^"]+)"/
    .exec(found)
    ?.slice(1);
  const attribute = quoted?.find(Boolean) ?? of.split('.').slice(1).join('.');
  return (exact.length > 0 ? exact : reading.map(([key]) => key)).flatMap((key) => {
    const { attributes, stats, where, joined } = mappings.get(key) ?? {};
    const why = `: ${found} (${check})`;
    if (stats?.delete(attribute.replace(/^stats\./, ''))) return `${key}.${attribute}${why}`;
    const isOwn = attribute !== 'id' && attribute !== 'name';
    if (isOwn && attributes?.delete(attribute)) return `${key}.${attribute}${why}`;
    // A table cannot be keyed as a look-up needs.
    const lookUps = [...(attributes ?? [])].filter(
      ([name, value]) => /^name_/.test(name) && value.includes('$get($tables'),
    );
    if (
      (attribute === 'stats' || (check === 'table-key' && joined !== undefined)) &&
      stats &&
      stats.size > 0
    ) {
      stats.clear();
      return `${key}.stats${why}`;
    }
    if (check === 'table-key' && lookUps.length > 0) {
      for (const [name] of lookUps) attributes?.delete(name);
      return `${key}: names of other tables${why}`;
    }
    const name = attributes?.get('name');
    const isReadable = `$exists(${name}) and $trim(${name}) != '' and $not($contains(${name}, /[{}]/))`;
    if (
      where &&
      name &&
      !where.includes(isReadable) &&
      (attribute === 'name' || check === 'character-schema')
    ) {
      where.push(isReadable);
      return `records of ${key} without a readable name${why}`;
    }
    mappings.delete(key);
    return `${key}${why}`;
  });
}
