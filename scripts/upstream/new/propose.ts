import { stripMarkup } from '../../compile/library.ts';
import { RESERVED_ATTRIBUTES } from '../../format/dist-format.ts';
import { pointerSteps } from '../../format/json.ts';
import { stemOf } from '../../read/files.ts';
import {
  chooseClasses,
  chooseId,
  chooseRarity,
  countMainStats,
  findStats,
  type IdSource,
  idsOf,
  type Pair,
  textOf,
} from './columns.ts';
import { findNames, type Names, textsOf } from './names.ts';
import type { DumpTable } from './tables.ts';
import { CHARACTERS, languageOf, NEUTRAL, snakeCase, wordsOf } from './words.ts';

/** A table that can be the roster, with the core attributes of a character. */
export interface RosterCandidate {
  table: DumpTable;
  id: IdSource;
  names: Names;
  rarity: ReturnType<typeof chooseRarity>;
  stats: Pair[];
}

/** Ranks the tables that can be the roster, because they have names and ids; best first. */
export function rankRosters(tables: readonly DumpTable[]): RosterCandidate[] {
  const texts = tables.flatMap(textsOf);
  const found = tables.flatMap((table) => {
    const id = table.rows.size === 0 ? undefined : chooseId(table);
    const names = id && findNames(table, id, tables, texts);
    if (id === undefined || names === undefined) return [];
    const candidate = { table, id, names, rarity: chooseRarity(table.columns), stats: findStats(table) };
    return [{ candidate, score: rate(candidate) }];
  });
  return found.sort((a, b) => b.score - a.score).map(({ candidate }) => candidate);
}

/**
 * Rates how much a table looks like a roster: readable names, a rarity, stats, some hundred rows. The weights were tuned on the dumps of
 * test/upstream/proposals.test.ts, which counts how many first tables are right.
 */
function rate({ table, names, rarity, stats }: RosterCandidate): number {
  const about = subjectOf(table);
  const hits = about.filter((word) => CHARACTERS.has(word)).length;
  const distinct = new Set(names.values.map(String)).size / Math.max(1, names.values.length);
  const rows = table.rows.size;
  // A table of few fields contains texts or levels.
  const width = table.columns.filter(({ path }) => path.length === 1).length;
  const points = [
    (hits > 0 ? 6 : 0) + (hits > 1 ? 2 : 0) - 3 * (about.length - hits),
    (table.language ?? 'en') === 'en' ? 0.5 : 0,
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
function subjectOf({ files, fileCount, name, at }: DumpTable): string[] {
  const file = fileCount > 1 ? (files.split('/').at(-2) ?? '') : stemOf(files).replace('*', '');
  return [file || name, ...pointerSteps(at)]
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
  key: string | undefined;
  stats: Pair[];
}

/** Finds the tables that have one row for the id of each character, those with most of the usual stats first. */
function findJoins({ table: main, id }: RosterCandidate, tables: readonly DumpTable[]): Join[] {
  const ids = idsOf(main, id);
  const words = wordsOf(`${main.name}_${id === 'key' ? 'id' : id.path[0]}`);
  const hold = (values: { has(value: string): boolean }) =>
    ids.filter((each) => values.has(each)).length >= ids.length / 2;
  const joins = tables.flatMap((table): Join[] => {
    const field = table.columns.find(({ path, last, full, distinct, values }) => {
      const isCalled = path.length === 1 && last.length > 1 && last.every((word) => words.includes(word));
      return isCalled && full && distinct && hold(new Set(values.map(String)));
    });
    // Small ids are equal by chance.
    const isKeyed = table.kind === 'keyed' && ids.some((each) => !(Number(each) < 1000)) && hold(table.rows);
    if (table === main || !(isKeyed || (table.kind === 'list' && field))) return [];
    const row = `$get($tables.${table.name}, ${textOf(id)})`;
    return [{ table, row, key: isKeyed ? undefined : field?.path[0], stats: findStats(table, '$joined.') }];
  });
  return joins.sort((a, b) => countMainStats(b.stats) - countMainStats(a.stats));
}

/** Proposes `roster` in game.json, the keys of the tables that it reads, and notes for a person. */
export function mapRoster(roster: RosterCandidate, tables: readonly DumpTable[]) {
  const { table, id, names, rarity } = roster;
  const joins = findJoins(roster, tables);
  const joined = roster.stats.length > 1 ? undefined : joins.find((join) => join.stats.length > 1);
  const stats = (joined?.stats ?? roster.stats).map(render).join(', ');
  const others = table.columns.filter((column) => ![id, names.column, rarity?.column].includes(column));
  const attributes = new Map<string, string>([
    ['id', textOf(id)],
    ...nameAttributes(names),
    ...(rarity?.stars === undefined ? [] : [['rarity', rarity.stars] as const]),
    ...(stats === '' ? [] : [['stats', `{ ${stats} }`] as const]),
  ]);
  const reserved: ReadonlySet<string> = new Set([...RESERVED_ATTRIBUTES, 'rarity', 'attack', 'stats']);
  for (const { path, expression } of chooseClasses(others)) {
    const name = snakeCase(path[0] ?? '');
    if (name.startsWith('name_') || attributes.has(name)) continue;
    attributes.set(reserved.has(name) ? `${name}_text` : name, expression);
  }
  const entry = `{\n  ${[...attributes].map(render).join(',\n  ')}\n}`;
  const lookUps = joins.map(({ row, key }) => `- ${row}${key ? `, with "key": ${JSON.stringify(key)}` : ''}`);
  const notes = [
    !names.readable && 'The names are keys, whose texts were not found: join them with $text.',
    !rarity?.stars && "'rarity' must be a whole number: map each value with $get({…: 1}, field).",
    'stats are meant to be those at the highest level without equipment: correct which level they are of.',
    joins.length > 0 && 'Rows of the same characters in other tables:',
    ...lookUps.slice(0, 30),
  ];
  const whole = joined ? `($joined := ${joined.row};\n${entry})` : entry;
  return {
    mapping: { from: table.name, where: whereOf(names), entry: whole.split('\n') },
    keys: new Map<string, string>([
      ...names.keys,
      ...(joined?.key ? [[joined.table.name, joined.key] as const] : []),
    ]),
    notes: notes.flatMap((note) => note || []),
  };
}

const render = ([name, expression]: Pair) => `'${name}': ${expression}`;

/** Selects the rows whose names people can read, if there are others. */
function whereOf({ column, expression, readable, values }: Names): string | undefined {
  const isOdd = (value: unknown) => typeof value !== 'string' || value.trim() === '' || /[{}]/.test(value);
  if (!readable || (column.full && !values.some(isOdd))) return undefined;
  return `$exists(${expression}) and $trim(${expression}) != '' and $not($contains(${expression}, /[{}]/))`;
}

/** The attributes of a name in all its languages, without markup. */
function nameAttributes({ expression, language, translations, values }: Names): Pair[] {
  const texts = values.map(String);
  const isMarked = texts.some((text) => stripMarkup(text) !== text);
  const clean = (name: string, text: string): Pair => [name, isMarked ? `$strip(${text})` : text];
  const others = translations.filter(([each]) => each !== language);
  return [clean('name', expression), ...others.map(([each, text]) => clean(`name_${each}`, text))];
}
