import type { FoundTable } from '../dump/find-tables.ts';
import {
  areUrlSafe,
  chooseId,
  chooseName,
  chooseRarity,
  chooseStats,
  type IdSource,
} from './choose-columns.ts';
import { type Column, columnsOf, wordsOf } from './column.ts';
import { findStatsInside, type Stat } from './find-stats.ts';
import { findTexts, type Texts } from './find-texts.ts';
import { languageOf, languageOfTable } from './languages.ts';

/** A table that can be the roster, and the columns of a character's core attributes. */
export interface RosterChoice {
  table: FoundTable;
  columns: Column[];
  id: IdSource;
  name: Column;
  /** Where the texts are whose keys the names are. */
  texts: Texts | undefined;
  rarity: Column | undefined;
  stats: Column[];
  /** The stats inside the rows, if the rows have no columns of stats. */
  inside: Stat[];
}

/** Words that games use for their characters. */
const CHARACTERS = new Set(
  'char chara chars character characters unit units avatar avatars hero heroes servant servants svt idol idols card cards operator operators agent agents champion champions fighter fighters student students doll dolls ship ships member members'.split(
    ' ',
  ),
);
/** Words that say nothing about the content of a table. */
const NEUTRAL = new Set(
  'data table tables mst master list info base main all json records file config db build raw game src en eng english us na global'.split(
    ' ',
  ),
);

/**
 * Chooses the table that looks most like a roster: by its name, and by columns for ids, names, rarities and stats.
 *
 * @returns undefined when no table has ids and names
 */
export function chooseRoster(tables: readonly FoundTable[]): RosterChoice | undefined {
  const scored = tables.flatMap((table): { choice: RosterChoice; score: number }[] => {
    const choice = asRoster(table, tables);
    return choice ? [{ choice, score: scoreOf(choice) }] : [];
  });
  // The first one wins when scores are equal.
  return scored.reduce<(typeof scored)[number] | undefined>(
    (best, candidate) => (best === undefined || candidate.score > best.score ? candidate : best),
    undefined,
  )?.choice;
}

function asRoster(table: FoundTable, tables: readonly FoundTable[]): RosterChoice | undefined {
  if (!('rows' in table.shape)) return undefined;
  const columns = columnsOf(table.shape.rows);
  const id = chooseId(table, columns);
  const name = chooseName(
    columns,
    table.shape.rows.size,
    (column) => findTexts(column, tables) !== undefined,
  );
  if (id === undefined || name === undefined || !areUrlSafe(table, id)) return undefined;
  const stats = chooseStats(columns);
  return {
    ...{ table, columns, id, name, stats },
    texts: findTexts(name, tables),
    rarity: chooseRarity(columns),
    inside: stats.length > 1 ? [] : findStatsInside(table.shape.rows, tables),
  };
}

/** Scores a candidate. The table's name counts more than any field: weapons have rarities and stats too. */
function scoreOf({ table, name, rarity, stats, inside }: RosterChoice): number {
  const words = wordsOf(table.name).filter((word) => !NEUTRAL.has(word) && languageOf(word) === undefined);
  const language = languageOfTable(table);
  const hits = words.filter((word) => CHARACTERS.has(word)).length;
  const byName = (hits > 0 ? 6 : 0) + (hits > 1 ? 2 : 0) - 2 * (words.length - hits);
  return (
    byName +
    (language === undefined || language === 'en' ? 0.5 : 0) +
    (wordsOf(name.path.join('_')).includes('name') ? 1 : 0) +
    (rarity ? 3 : 0) +
    Math.min(4, stats.length + inside.length)
  );
}
