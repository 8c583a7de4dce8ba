import path from 'node:path';
import { pointerSteps } from '../../lib/json-pointer.ts';
import { stemOf } from '../../read/formats/formats.ts';
import type { FoundTable } from '../dump/find-tables.ts';
import {
  areUrlSafe,
  canBeUrlSafe,
  chooseId,
  chooseRarity,
  chooseStats,
  countMainStats,
  type IdSource,
} from './choose-columns.ts';
import { type Column, columnsOfTable, wordsOf } from './column.ts';
import { findStatsInside, type Stat } from './find-stats.ts';
import { findTranslations, languageOf, languageOfTable } from './languages.ts';
import { findNames, findNamesElsewhere, type Names } from './names.ts';
import { References } from './references.ts';
import { TextSources } from './text-sources.ts';

/** A table that can be the roster, and the columns of a character's core attributes. */
export interface RosterChoice {
  table: FoundTable;
  columns: Column[];
  id: IdSource;
  names: Names;
  rarity: Column | undefined;
  stats: Column[];
  /** The stats inside the rows, if the rows have no columns of stats. */
  inside: Stat[];
  /** What speaks for it, for people. */
  reasons: string[];
  score: number;
}

/** Words that games use for their characters. */
const CHARACTERS = new Set(
  'char chara chars character characters unit units avatar avatars hero heroes servant servants svt idol idols card cards operator operators agent agents champion champions fighter fighters student students doll dolls ship ships member members role roles person persons pokemon gun guns guard guards identity identities partner partners follower followers'.split(
    ' ',
  ),
);
/** Words that say nothing about the content of a table. */
const NEUTRAL = new Set(
  'data table tables mst master list lists info base main all json records file config conf cfg db build raw game src en eng english us na global excel settings setting template templates i18n new index docs store v2 1 2 3'.split(
    ' ',
  ),
);
/** How many candidates are compared by what refers to them. */
const MAX_COMPARED = 12;

/**
 * Ranks the tables that can be the roster by what they have: names that people can read, rarities, stats, some hundred rows, and references from
 * other tables.
 *
 * @returns none when no table has ids and names
 */
export function rankRosters(
  tables: readonly FoundTable[],
  sources: TextSources = new TextSources(tables),
): RosterChoice[] {
  const unions = new Set(tables.map(({ member }) => member?.of));
  const able = tables
    .filter(({ name }) => !unions.has(name))
    .flatMap((table) => asRoster(table, tables, sources) ?? []);
  const ranked = able.sort((a, b) => b.score - a.score);
  const compared = ranked.slice(0, MAX_COMPARED);
  const references = new References(tables);
  for (const choice of compared) {
    nameFurther(choice, tables, sources);
    const count = references.count(choice.table, choice.id, subjectOf(choice.table));
    if (count === 0) continue;
    choice.score += Math.min(5, 1.5 * Math.log2(1 + count));
    choice.reasons.push(count === 1 ? '1 table refers to it' : `${count} tables refer to it`);
  }
  return [...compared.sort((a, b) => b.score - a.score), ...ranked.slice(MAX_COMPARED)];
}

/** A table as the roster; undefined if it has no ids or names. */
export function asRoster(
  table: FoundTable,
  tables: readonly FoundTable[],
  sources: TextSources,
): RosterChoice | undefined {
  if (!('rows' in table.shape)) return undefined;
  const columns = columnsOfTable(table);
  const id =
    chooseId(table, columns, (each) => areUrlSafe(table, each)) ??
    chooseId(table, columns, (each) => canBeUrlSafe(table, each));
  if (id === undefined) return undefined;
  const names = findNames(table, id, sources, tables);
  if (names === undefined) return undefined;
  const stats = chooseStats(columns);
  const choice: RosterChoice = {
    ...{ table, columns, id, names, stats },
    rarity: chooseRarity(columns),
    inside: stats.length > 1 ? [] : findStatsInside(table.shape.rows, tables),
    ...{ reasons: [], score: 0 },
  };
  score(choice, tables);
  return choice;
}

/** Looks for names in more places: only for a few tables, as it takes longer. */
function nameFurther(choice: RosterChoice, tables: readonly FoundTable[], sources: TextSources): void {
  if (choice.names.kind === 'text') return;
  const names = findNamesElsewhere(choice.table, choice.names, sources, tables);
  if (names === undefined) return;
  Object.assign(choice, { names, score: 0, reasons: [] });
  score(choice, tables);
}

function score(choice: RosterChoice, tables: readonly FoundTable[]): void {
  const { table, names, rarity, stats, inside, columns } = choice;
  const rows = 'rows' in table.shape ? table.shape.rows.size : 0;
  const say = (points: number, reason?: string) => {
    choice.score += points;
    if (reason !== undefined) choice.reasons.push(reason);
  };
  say(scoreName(table));
  const language = languageOfTable(table);
  say(language === undefined || language === 'en' ? 0.5 : 0);
  const distinct = new Set(names.values.map(String)).size / Math.max(1, names.values.length);
  if (names.kind === 'text') say(3 + (distinct > 0.7 ? 1 : distinct < 0.4 ? -2 : 0), 'names');
  else
    say(
      names.kind === 'key' ? -3 : -2,
      names.kind === 'key' ? 'names that are keys' : 'ids instead of names',
    );
  const languages = names.translations.length || findTranslations(table, tables).length;
  if (languages > 0) say(Math.min(2, languages / 2), `${languages + 1} languages`);
  if (rarity) say(3, 'a rarity');
  const all = [...stats.map(({ path: of }) => of.at(-1) ?? ''), ...inside.map(({ name }) => name)];
  if (all.length > 1) say(Math.min(3, all.length / 2) + countMainStats(all), `${all.length} stats`);
  say(rows < 6 ? -6 : rows < 15 ? -2 : rows > 6000 ? -3 : rows <= 2500 ? 2 : 0, `${rows} rows`);
  // A table of few fields is one of texts or of levels.
  const width = columns.filter(({ level }) => level === 1).length;
  say(width < 3 ? -4 : Math.min(3, width / 12));
}

/** Scores the name of a table: words for characters, and fewer words for anything else. */
function scoreName(table: FoundTable): number {
  const words = subjectOf(table);
  const hits = words.filter((word) => CHARACTERS.has(word)).length;
  return (hits > 0 ? 6 : 0) + (hits > 1 ? 2 : 0) - 3 * (words.length - hits);
}

/** The words of what a table is about: of its file or folder, and of the place in it. */
export function subjectOf({ files, at, fileCount, member }: FoundTable): string[] {
  const names =
    member !== undefined
      ? member.path.slice(-1)
      : [
          fileCount > 1 && /^(!\(|\*)/.test(path.posix.basename(files))
            ? (files.split('/').at(-2) ?? '')
            : stemOf(files).replace('*', ''),
          ...pointerSteps(at),
        ];
  return names
    .flatMap(wordsOf)
    .flatMap(splitWord)
    .filter((word) => !NEUTRAL.has(word) && languageOf(word) === undefined && !/^\d+$/.test(word));
}

/** Splits a word that begins with one for characters: `roleinfo`. */
function splitWord(word: string): string[] {
  if (CHARACTERS.has(word) || NEUTRAL.has(word)) return [word];
  const start = [...CHARACTERS]
    .filter((each) => each.length > 3 && word.startsWith(each))
    .sort((a, b) => b.length - a.length)[0];
  if (start !== undefined) return [start, ...splitWord(word.slice(start.length))];
  const end = [...NEUTRAL].find((each) => each.length > 3 && word.endsWith(each));
  return end === undefined ? [word] : [...splitWord(word.slice(0, -end.length)), end];
}
