import { pointerSteps } from '../../format/json.ts';
import { stemOf } from '../../read/files.ts';
import {
  type Column,
  chooseId,
  chooseRarity,
  columnsOf,
  countMainStats,
  findStats,
  type IdSource,
  idsOf,
  type Stat,
} from './columns.ts';
import { findNames, languageOfTable, type Names, type TextTable } from './names.ts';
import { countEach, folderOfRows, type Table } from './tables.ts';
import { CHARACTERS, languageOf, NEUTRAL, wordsOf } from './words.ts';

/** A table that can be the roster, and the core attributes of a character. */
export interface Roster {
  table: Table;
  id: IdSource;
  names: Names;
  rarity: ReturnType<typeof chooseRarity>;
  stats: Stat[];
  /** What speaks for it, for people. */
  reasons: string[];
  score: number;
}

/** How many candidates are compared by what refers to them. */
const MAX_COMPARED = 12;
export const URL_SAFE = /^(?!\.{1,2}$)[A-Za-z0-9._~-]{1,128}$/;

/** Ranks the tables that can be the roster by names that people can read, rarities, stats, some hundred rows, and references from other tables. */
export function rankRosters(tables: readonly Table[], texts: readonly TextTable[]): Roster[] {
  const byScore = (a: Roster, b: Roster) => b.score - a.score;
  const ranked = tables.flatMap((table) => asRoster(table, tables, texts) ?? []).sort(byScore);
  const compared = ranked.slice(0, MAX_COMPARED);
  // The columns that may hold ids of another table, with some of their values.
  const references = tables.flatMap((table) =>
    columnsOf(table).flatMap(({ path, last, kind, values }) => {
      const isId =
        /^(ids?|uids?|keys?|tags?)$/.test(last.at(-1) ?? '') && last.length > 1 && path.length <= 2;
      const sample = [...new Set(values.slice(0, 400).map(String))].slice(0, 30);
      const isAble = isId && (kind === 'number' || kind === 'text') && sample.length >= 4;
      return isAble ? [{ table, subject: last.slice(0, -1), sample }] : [];
    }),
  );
  for (const choice of compared) {
    const ids = new Set(idsOf(choice.table, choice.id));
    const about = new Set(subjectOf(choice.table).map((word) => word.slice(0, 4)));
    const referring = references.filter(({ table, subject, sample }) => {
      if (table === choice.table || !subject.some((word) => about.has(word.slice(0, 4)))) return false;
      return sample.filter((value) => value !== '0' && ids.has(value)).length >= sample.length * 0.8;
    });
    const count = new Set(referring.map(({ table }) => table)).size;
    if (count === 0) continue;
    choice.score += Math.min(5, 1.5 * Math.log2(1 + count));
    choice.reasons.push(count === 1 ? '1 table refers to it' : `${count} tables refer to it`);
  }
  return [...compared.sort(byScore), ...ranked.slice(MAX_COMPARED)];
}

/** A table as the roster; undefined if it has no ids or names. */
export function asRoster(
  table: Table,
  tables: readonly Table[],
  texts: readonly TextTable[],
): Roster | undefined {
  if (table.rows.size === 0) return undefined;
  const safe = (ids: readonly string[]) => ids.every((id) => URL_SAFE.test(id));
  const canBeSafe = (ids: readonly string[]) => {
    const replaced = ids.map((id) => id.replace(/[^A-Za-z0-9._~-]+/g, '-'));
    return (
      safe(replaced) &&
      replaced.every((id) => /[A-Za-z0-9]/.test(id)) &&
      new Set(replaced).size === ids.length
    );
  };
  const id = chooseId(table, safe) ?? chooseId(table, canBeSafe);
  const names = id && findNames(table, id, tables, texts);
  if (id === undefined || names === undefined) return undefined;
  const rarity = chooseRarity(columnsOf(table));
  const roster: Roster = { table, id, names, rarity, stats: findStats(table), reasons: [], score: 0 };
  addScore(roster);
  return roster;
}

/** The weights were tuned on the dumps of test/upstream/proposals.test.ts, which counts how many first tables are right. */
function addScore(choice: Roster): void {
  const { table, names, rarity, stats } = choice;
  const add = (points: number, reason?: string) => {
    choice.score += points;
    if (reason !== undefined) choice.reasons.push(reason);
  };
  const words = subjectOf(table);
  const hits = words.filter((word) => CHARACTERS.has(word)).length;
  add((hits > 0 ? 6 : 0) + (hits > 1 ? 2 : 0) - 3 * (words.length - hits));
  add((languageOfTable(table) ?? 'en') === 'en' ? 0.5 : 0);
  const distinct = new Set(names.values.map(String)).size / Math.max(1, names.values.length);
  if (names.readable) add(3 + (distinct > 0.7 ? 1 : distinct < 0.4 ? -2 : 0), 'names');
  else add(-3, 'names that are keys');
  const languages = names.translations.length;
  if (languages > 0) add(Math.min(2, languages / 2), `${languages + 1} languages`);
  if (rarity) add(3, 'a rarity');
  if (stats.length > 1) add(Math.min(3, stats.length / 2) + countMainStats(stats), `${stats.length} stats`);
  const rows = table.rows.size;
  add(rows < 6 ? -6 : rows < 15 ? -2 : rows > 6000 ? -3 : rows <= 2500 ? 2 : 0, `${rows} rows`);
  // A table of few fields is one of texts or of levels.
  const width = columnsOf(table).filter(({ path }) => path.length === 1).length;
  add(width < 3 ? -4 : Math.min(3, width / 12));
}

/** The words of what a table is about: of its file or folder, and of the place in it. */
function subjectOf(table: Table): string[] {
  const file = folderOfRows(table) ?? stemOf(table.files).replace('*', '');
  return [file || table.name, ...pointerSteps(table.at)]
    .flatMap(wordsOf)
    .flatMap(splitWord)
    .filter((word) => !NEUTRAL.has(word) && languageOf(word) === undefined && !/^\d+$/.test(word));
}

/** Splits a word that begins with one for characters: `roleinfo`. */
function splitWord(word: string): string[] {
  if (CHARACTERS.has(word) || NEUTRAL.has(word)) return [word];
  const starts = [...CHARACTERS].filter((each) => each.length > 3 && word.startsWith(each));
  const [start] = starts.sort((a, b) => b.length - a.length);
  if (start !== undefined) return [start, ...splitWord(word.slice(start.length))];
  const end = [...NEUTRAL].find((each) => each.length > 3 && word.endsWith(each));
  return end === undefined ? [word] : [...splitWord(word.slice(0, -end.length)), end];
}

/** A table whose rows are about the characters, and the expression of a character's row. */
export interface Join {
  table: Table;
  row: string;
  key: string | string[] | undefined;
  /** Which of several rows it is, such as `level 80`. */
  of: string;
  stats: Stat[];
}

/** Finds the tables whose rows have the ids of the roster, those with most of the usual stats first. */
export function findJoins({ table: main, id }: Roster, tables: readonly Table[]): Join[] {
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
    const columns = columnsOf(table).filter(({ path, full }) => path.length === 1 && full);
    const field = columns.find(({ last, values }) => {
      const isCalled = last.length > 1 && last.every((word) => words.includes(word));
      return isCalled && hold(new Set(values.map(String)));
    });
    const [key = ''] = field?.path ?? [];
    if (field?.distinct) return make(own, key);
    const isKeyWith = ({ path: [name = ''] }: Column) =>
      new Set([...table.rows.values()].map((row) => `${row[key]}:${row[name]}`)).size === table.rows.size;
    const second = field && columns.find((each) => each !== field && isKeyWith(each));
    if (second === undefined || second.distinct) return [];
    const [name = ''] = second.path;
    const shared = columnsOf(main).find(({ path }) => path.join() === name);
    // The highest value that nearly as many rows have as any, such as a level.
    const counts = countEach(second.values);
    const frequent = counts
      .filter(([, count]) => count >= (counts[0]?.[1] ?? 0) * 0.9)
      .map(([value]) => value);
    const value = frequent.sort((a, b) => Number(b) - Number(a))[0];
    const keys = [key, name];
    return shared
      ? make(`${own} & ':' & ${shared.expression}`, keys)
      : make(`${own} & ':${value}'`, keys, `${name} ${value}`);
  });
  return joins.sort((a, b) => countMainStats(b.stats) - countMainStats(a.stats));
}
