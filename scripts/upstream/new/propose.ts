import path from 'node:path';
import { stripMarkup } from '../../compile/library.ts';
import type { Finding } from '../../findings.ts';
import { DATASET_KEY, RESERVED_ATTRIBUTES, RESERVED_DATASET_KEYS } from '../../format/dist-format.ts';
import { pointerSteps } from '../../format/json.ts';
import { isKnownFile, stemOf } from '../../read/files.ts';
import type { RawTable } from '../../read/game-schema.ts';
import { matchPattern } from '../../read/patterns.ts';
import {
  attributeOf,
  chooseClasses,
  chooseId,
  chooseRarity,
  columnsOf,
  countMainStats,
  type DumpColumn,
  findStats,
  type IdSource,
  idsOf,
  type Stat,
  textOf,
} from './columns.ts';
import { findNames, languageOfTable, type Names, type TextTable } from './names.ts';
import {
  countEach,
  type DumpTable,
  folderOfRows,
  isRequiredDataset,
  type LanguageFolders,
} from './tables.ts';
import { CHARACTERS, languageOf, NEUTRAL, snakeCase, wordsOf } from './words.ts';

/** A table that can be the roster, with the core attributes of a character. */
export interface RosterCandidate {
  table: DumpTable;
  id: IdSource;
  names: Names;
  rarity: ReturnType<typeof chooseRarity>;
  stats: Stat[];
  score: number;
}

/** Ranks the tables that can be the roster, best first. */
export function rankRosters(tables: readonly DumpTable[], texts: readonly TextTable[]): RosterCandidate[] {
  return tables.flatMap((table) => asRoster(table, texts) ?? []).sort((a, b) => b.score - a.score);
}

/** Reads a table as the roster; undefined if it has no ids or names. */
function asRoster(table: DumpTable, texts: readonly TextTable[]): RosterCandidate | undefined {
  const id = table.rows.size === 0 ? undefined : chooseId(table, true);
  const names = id && findNames(table, id, texts);
  if (id === undefined || names === undefined) return undefined;
  const rarity = chooseRarity(columnsOf(table));
  const facts = { table, id, names, rarity, stats: findStats(table) };
  return { ...facts, score: rate(facts) };
}

/**
 * Rates how much a table looks like a roster: readable names, a rarity, stats, some hundred rows. The weights were tuned on the dumps of
 * test/upstream/proposals.test.ts, which counts how many first tables are right.
 */
function rate({ table, names, rarity, stats }: Omit<RosterCandidate, 'score'>): number {
  const about = subjectOf(table);
  const hits = about.filter((word) => CHARACTERS.has(word)).length;
  const distinct = new Set(names.values.map(String)).size / Math.max(1, names.values.length);
  const rows = table.rows.size;
  // A table of few fields contains texts or levels.
  const width = columnsOf(table).filter(({ path: steps }) => steps.length === 1).length;
  const points = [
    (hits > 0 ? 6 : 0) + (hits > 1 ? 2 : 0) - 3 * (about.length - hits),
    (languageOfTable(table) ?? 'en') === 'en' ? 0.5 : 0,
    names.readable ? 3 + (distinct > 0.7 ? 1 : distinct < 0.4 ? -2 : 0) : -3,
    Math.min(2, names.translations.length / 2),
    rarity ? 3 : 0,
    stats.length > 1 ? Math.min(3, stats.length / 2) + countMainStats(stats) : 0,
    rows < 6 ? -6 : rows < 15 ? -2 : rows > 6000 ? -3 : rows <= 2500 ? 2 : 0,
    width < 3 ? -4 : Math.min(3, width / 12),
  ];
  return points.reduce((sum, each) => sum + each, 0);
}

/** The words for the subject of a table: from its file or folder, and its place in the file. */
function subjectOf(table: DumpTable): string[] {
  const file = folderOfRows(table) ?? stemOf(table.files).replace('*', '');
  return [file || table.name, ...pointerSteps(table.at)]
    .flatMap(wordsOf)
    .flatMap(splitWord)
    .filter((word) => !NEUTRAL.has(word) && languageOf(word) === undefined && !/^\d+$/.test(word));
}

/** Splits a word that begins with a word for characters: `roleinfo`. */
function splitWord(word: string): string[] {
  if (CHARACTERS.has(word) || NEUTRAL.has(word)) return [word];
  const starts = [...CHARACTERS].filter((each) => each.length > 3 && word.startsWith(each));
  const [start] = starts.sort((a, b) => b.length - a.length);
  if (start !== undefined) return [start, ...splitWord(word.slice(start.length))];
  const end = [...NEUTRAL].find((each) => each.length > 3 && word.endsWith(each));
  return end === undefined ? [word] : [...splitWord(word.slice(0, -end.length)), end];
}

/** A table whose rows belong to the characters, and the expression of a character's row. */
interface Join {
  table: DumpTable;
  row: string;
  key: string | string[] | undefined;
  /** The chosen one of several rows, such as `level 80`. */
  of: string;
  stats: Stat[];
}

/** Finds the tables whose rows have the ids of the roster, those with most of the usual stats first. */
function findJoins({ table: main, id }: RosterCandidate, tables: readonly DumpTable[]): Join[] {
  const ids = idsOf(main, id);
  const own = id === 'key' ? '$key' : `$string(${id.expression})`;
  const words = wordsOf(`${main.name}_${id === 'key' ? 'id' : id.path[0]}`);
  const hold = (values: { has(value: string): boolean }) =>
    ids.filter((each) => values.has(each)).length >= ids.length / 2;
  const joins = tables.flatMap((table): Join[] => {
    if (table === main || table.rows.size === 0) return [];
    const make = (lookUp: string, key?: string | string[], of = ''): Join[] => [
      { table, row: `$get($tables.${table.name}, ${lookUp})`, key, of, stats: findStats(table, '$joined') },
    ];
    // Small ids are equal by chance.
    if (table.kind === 'keyed')
      return ids.some((each) => !(Number(each) < 1000)) && hold(table.rows) ? make(own) : [];
    const columns = columnsOf(table).filter(({ path: steps, full }) => steps.length === 1 && full);
    const field = columns.find(({ last, values }) => {
      const isCalled = last.length > 1 && last.every((word) => words.includes(word));
      return isCalled && hold(new Set(values.map(String)));
    });
    const [key = ''] = field?.path ?? [];
    if (field?.distinct) return make(own, key);
    const isKeyWith = ({ path: [name = ''] }: DumpColumn) =>
      new Set([...table.rows.values()].map((row) => `${row[key]}:${row[name]}`)).size === table.rows.size;
    const second = field && columns.find((each) => each !== field && isKeyWith(each));
    if (second === undefined || second.distinct) return [];
    const [name = ''] = second.path;
    const shared = columnsOf(main).find(({ path: steps }) => steps.join() === name);
    if (shared) return make(`${own} & ':' & ${shared.expression}`, [key, name]);
    // The highest value that nearly as many rows have as any other, such as a level.
    const counts = countEach(second.values);
    const frequent = counts.filter(([, count]) => count >= (counts[0]?.[1] ?? 0) * 0.9);
    const [value] = frequent.map(([each]) => each).sort((a, b) => Number(b) - Number(a));
    return make(`${own} & ':${value}'`, [key, name], `${name} ${value}`);
  });
  return joins.sort((a, b) => countMainStats(b.stats) - countMainStats(a.stats));
}

/** How the rows of a table become records: the JSONata expression of each attribute. */
interface Mapping {
  table: DumpTable;
  where: string[];
  /** The expression of a row in another table, which stats refer to as `$joined`. */
  joined?: string | undefined;
  attributes: Map<string, string>;
  stats: Map<string, string>;
}

/** A proposal, parts of which can be removed before it is written. */
export interface Proposal {
  title: string;
  language: string | undefined;
  tables: readonly DumpTable[];
  regions: LanguageFolders;
  /** The roster, and datasets by key. */
  mappings: Map<string, Mapping>;
  /** The keys that tables need, by table. */
  keys: Map<string, string | string[]>;
  /** The folder inside a build's folder for the dump; `''` for the build's own. */
  into: string;
  /** Decisions for a person. */
  notes: string[];
}

const ROSTER = 'roster';
const MAX_DATASETS = 40;
const MAX_FIELDS = 12;
/** If there are more tables, only those that are read are declared. */
const MAX_DECLARED = 60;

/** Proposes the mapping of a dump. @param files all files of the dump */
export function proposeDraft(
  found: Pick<Proposal, 'title' | 'tables' | 'regions'>,
  roster: RosterCandidate | undefined,
  files: readonly string[],
  texts: readonly TextTable[],
): Proposal {
  const draft: Proposal = {
    ...{ ...found, language: roster?.names.language, mappings: new Map() },
    ...{ keys: new Map(), into: '', notes: [] },
  };
  if (roster) draft.mappings.set(ROSTER, mapRoster(roster, draft));
  const proposals = found.tables
    .filter((table) => table !== roster?.table)
    .flatMap((table) => mapDataset(table, draft, texts) ?? []);
  const best = new Set([...proposals].sort((a, b) => b.use - a.use).slice(0, MAX_DATASETS));
  for (const { key, mapping, names } of proposals.filter((each) => best.has(each))) {
    if (!draft.mappings.has(key)) draft.mappings.set(key, mapping);
    for (const [table, field] of names?.keys ?? []) draft.keys.set(table, field);
  }
  // A file next to `build.json` that no table declares is served unchanged, so the dump gets its own folder.
  const declared = Object.values(declareTables(draft).declared);
  const matches = declared.map((table) => matchPattern(Object(table).files ?? table));
  const isServed = (file: string) =>
    !file.includes('/') && isKnownFile(file) && !matches.some((each) => each(file));
  if (!files.some(isRequiredDataset) && files.some(isServed)) draft.into = 'raw';
  return draft;
}

function mapRoster(roster: RosterCandidate, { tables, keys, notes }: Proposal): Mapping {
  const { table, id, names, rarity } = roster;
  const joins = findJoins(roster, tables);
  const joined = roster.stats.length > 1 ? undefined : joins.find(({ stats }) => stats.length > 1);
  for (const [name, key] of names.keys) keys.set(name, key);
  if (joined?.key !== undefined) keys.set(joined.table.name, joined.key);
  const attributes = new Map([['id', textOf(id)], ...nameAttributes(names)]);
  if (rarity?.stars !== undefined) attributes.set('rarity', rarity.stars);
  const others = columnsOf(table).filter((column) => ![id, names.column, rarity?.column].includes(column));
  addColumns(attributes, chooseClasses(others), ['rarity', 'attack', 'stats']);
  const from = JSON.stringify([table, ...table.others].map(({ name }) => name));
  const level = joined?.of ? `these are of ${joined.of}` : 'correct which level they are of';
  const lookUps = joins.map(({ row, key }) => `- ${row}${key ? `, with "key": ${JSON.stringify(key)}` : ''}`);
  const advice = [
    table.others.length > 0 &&
      `For the rows of other regions too, write "from": ${from}; lists need a "key".`,
    !names.readable && 'The names are keys, whose texts were not found: join them with $text.',
    !rarity?.stars && "'rarity' must be a whole number: map each value with $get({…: 1}, field).",
    `stats are meant to be those at the highest level without equipment: ${level}.`,
    joins.length > 0 && 'Rows of the same characters in other tables:',
    ...lookUps.slice(0, 30),
  ];
  notes.push(...advice.flatMap((note) => note || []));
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
  columns: readonly DumpColumn[],
  taken: readonly string[],
) {
  const used = new Set<string>([...RESERVED_ATTRIBUTES, ...taken, ...attributes.keys()]);
  for (const column of columns) {
    const own = snakeCase(column.path.at(-1) ?? '');
    const name = used.has(own) ? `${own}_text` : own;
    if (used.has(name) || name.startsWith('name_')) continue;
    used.add(name);
    attributes.set(name, attributeOf(column));
  }
}

/** Proposes a dataset of a table's plain fields, with a score of its usefulness; undefined without rows, ids or other fields. */
function mapDataset(table: DumpTable, draft: Proposal, texts: readonly TextTable[]) {
  const { size } = table.rows;
  const id = size === 0 ? undefined : chooseId(table);
  if (id === undefined) return undefined;
  const named = findNames(table, id, texts);
  // A table can have only one key.
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
export function declareTables({ mappings, tables, regions, keys, into }: Proposal) {
  const all = [...mappings.values()];
  const text = all
    .map(({ attributes, joined, stats }) => [stats.size && joined, ...attributes.values()].join())
    .join();
  const named = new Set([...text.matchAll(/\$tables\.(\w+)/g)].map(([, name]) => name));
  const read = tables.filter(
    (table) =>
      all.some((mapping) => mapping.table === table) ||
      [table, ...table.others].some(({ name }) => named.has(name)),
  );
  const declare = (table: DumpTable): RawTable => {
    const { region, files, at, options } = table;
    const group = [table, ...table.others];
    const key = group.map((each) => (named.has(each.name) ? keys.get(each.name) : undefined)).find(Boolean);
    const languages = group.flatMap((each) => each.region?.language ?? []);
    const more = {
      ...(at !== '' && { at }),
      ...(key !== undefined && { key }),
      ...options,
      ...(region && { regions: languages.length === regions.size ? (true as const) : languages }),
    };
    const place = region ? files : path.posix.join(into, files);
    return Object.keys(more).length === 0 ? place : { files: place, ...more };
  };
  const declared = (tables.length > MAX_DECLARED ? read : tables).map(
    (table) => [table.region?.of ?? table.name, declare(table)] as const,
  );
  return { declared: Object.fromEntries(declared), read };
}

export const ON_PULL_PLANNER = `// Every game has the dataset "pull_planner": the cost of a pull, pity and guarantees, such as {"currency": "Gem", "cost_per_pull": 160, "pity": 90}.
// Write pull_planner.json in the folder of your first build (later builds inherit it), or map it in "datasets".
`;

/** Writes a draft as game.json, below comments. */
export function renderDraft(draft: Proposal, head: readonly string[] = []): string {
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

/**
 * Removes the part of a draft that an error concerns: an attribute, the records without a readable name, otherwise a mapping. @returns what was
 * removed
 */
export function leaveOut(
  { mappings }: Proposal,
  { check, place, of = '', fix = '', found, expected }: Finding,
): string[] {
  const text = `${place.pointer} ${fix} ${found} ${expected}`;
  const named = [...text.matchAll(/\/datasets\/(\w+)|\/(roster)\/| of ([a-z]\w*)/g)].flatMap((match) =>
    match.slice(1),
  );
  const isRoster = named.includes('characters') || of.startsWith('characters');
  const exact = [...mappings.keys()].filter((key) => named.includes(key) || (key === ROSTER && isRoster));
  const isKey = check === 'table-key';
  const reading = [...mappings].filter(([, { table }]) => isKey || place.file.endsWith(table.files));
  const quoted = /at "\/([^"/]+)|(?:texts?|names?) [^"]*"([^"./]+)"| of "(stats\.[^"]+)"/.exec(found);
  const attribute = quoted?.slice(1).find(Boolean) ?? of.split('.').slice(1).join('.');
  const why = `: ${found} (${check})`;
  return (exact.length > 0 ? exact : reading.map(([key]) => key)).map((key) => {
    const { attributes = new Map(), stats = new Map(), where = [], joined } = mappings.get(key) ?? {};
    const isOwn = attribute !== 'id' && attribute !== 'name';
    if (stats.delete(attribute.replace(/^stats\./, '')) || (isOwn && attributes.delete(attribute)))
      return `${key}.${attribute}${why}`;
    if (stats.size > 0 && (attribute === 'stats' || (isKey && joined !== undefined))) {
      stats.clear();
      return `${key}.stats${why}`;
    }
    // The table cannot be keyed as a look-up needs.
    const lookUps = [...attributes].filter(
      ([name, value]) => isKey && /^name_/.test(name) && value.includes('$get($tables'),
    );
    for (const [name] of lookUps) attributes.delete(name);
    if (lookUps.length > 0) return `${key}: names of other tables${why}`;
    const name = attributes.get('name');
    const isReadable = `$exists(${name}) and $trim(${name}) != '' and $not($contains(${name}, /[{}]/))`;
    const isAboutName = attribute === 'name' || check === 'character-schema';
    if (name && isAboutName && !where.includes(isReadable)) {
      where.push(isReadable);
      return `records of ${key} without a readable name${why}`;
    }
    mappings.delete(key);
    return `${key}${why}`;
  });
}
