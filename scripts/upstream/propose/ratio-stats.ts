import type { FoundTable } from '../dump/find-tables.ts';
import { isStatName } from './choose-columns.ts';
import type { RosterChoice } from './choose-roster.ts';
import { type Column, columnsOfTable, expressionOf, wordsOf } from './column.ts';
import { joinOnField, type JoinedStats } from './find-joins.ts';
import { isCalled } from './referred-names.ts';

/** What the last word of a share is out of. */
const OUT_OF: Readonly<Record<string, number>> = { percent: 100, permil: 1000, permyriad: 10_000 };
const MIN_STATS = 2;

/** A stat that is a share of a value, as `vocalRatioPermil`. */
interface Share {
  name: string;
  column: Column;
  outOf: number;
}

/**
 * Finds stats that are a value of a level, which the row names by an id, times a share that the row has: `value` of `CardParameter` times
 * `vocalRatioPermil` of `Card`.
 */
export function findRatioStats(roster: RosterChoice, tables: readonly FoundTable[]): JoinedStats | undefined {
  const shares = roster.columns.flatMap((column) => shareOf(column) ?? []);
  if (shares.length < MIN_STATS) return undefined;
  for (const own of roster.columns) {
    if (own.level !== 1 || wordsOf(own.path[0] ?? '').at(-1) !== 'id' || own === roster.id) continue;
    for (const table of tables.filter((each) => each.shape.kind === 'list' && isCalled(each, own))) {
      const columns = columnsOfTable(table);
      const field = columns.find(({ path, level }) => level === 1 && wordsOf(path[0] ?? '').at(-1) === 'id');
      const join = field && !field.distinct && joinOnField(table, roster, field, expressionOf(own));
      if (!join || join.level === undefined || join.row === undefined) continue;
      const stats = shares.flatMap(({ name, column, outOf }) => {
        const value = columnCalled(columns, `${name} value`) ?? columnCalled(columns, 'value');
        if (value === undefined) return [];
        const whole = `$number($joined.${expressionOf(value)}) * ${expressionOf(column)}`;
        return [{ name: name.replaceAll(' ', '_'), expression: `$floor(${whole} / ${outOf})` }];
      });
      if (stats.length >= MIN_STATS) return { join, stats, rarity: undefined };
    }
  }
  return undefined;
}

function shareOf(column: Column): Share | undefined {
  const words = wordsOf(column.path[0] ?? '');
  const outOf = OUT_OF[words.at(-1) ?? ''];
  if (outOf === undefined || column.level !== 1 || column.list || column.kind !== 'number') return undefined;
  const name = words
    .slice(0, -1)
    .filter((word) => word !== 'ratio' && word !== 'rate')
    .join(' ');
  return isStatName([name]) ? { name, column, outOf } : undefined;
}

/** The column of numbers, also as digits, with a name in words. */
function columnCalled(columns: readonly Column[], name: string): Column | undefined {
  return columns.find(
    ({ path, level, list, values }) =>
      level === 1 &&
      !list &&
      wordsOf(path[0] ?? '').join(' ') === name &&
      values.every((value) => /^\d+(\.\d+)?$/.test(String(value))),
  );
}
