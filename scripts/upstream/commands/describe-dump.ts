import path from 'node:path';
import { describeFieldsOf, describeRows, type FoundTable } from '../dump/find-tables.ts';
import type { DumpValues } from '../dump/read-values.ts';
import { countOf, megabytes } from '../../lib/count-of.ts';
import type { RosterChoice } from '../propose/choose-roster.ts';
import { expressionOf } from '../propose/column.ts';
import type { Mended } from '../propose/mend-proposal.ts';

const MAX_ROSTERS = 3;

/** The tables that look most like the roster, and why. */
export function describeRosters(chosen: RosterChoice | undefined, ranked: readonly RosterChoice[]): string[] {
  if (chosen === undefined) return ['roster: none; no table has ids and names like those of characters'];
  const others = ranked.filter((each) => each !== chosen).slice(0, MAX_ROSTERS - 1);
  return [
    describeRoster(chosen),
    ...others.map(({ table, reasons }) => `  or --roster ${table.name}: ${reasons.join(', ')}`),
  ];
}

function describeRoster({ table, id, names, rarity, stats, inside }: RosterChoice): string {
  const parts = [
    `id ${id === 'key' ? '$key' : expressionOf(id)}`,
    `name ${expressionOf(names.column)}${names.kind === 'text' ? '' : ', whose texts were not found'}`,
    ...(names.translations.length > 0
      ? [`also in ${names.translations.map(([language]) => language).join(', ')}`]
      : []),
    ...(rarity ? [`rarity ${expressionOf(rarity)}`] : []),
    ...(inside.length > 0
      ? [`stats ${inside.map(({ expression }) => expression).join(', ')}`]
      : stats.length > 0
        ? [`stats ${stats.map(expressionOf).join(', ')}`]
        : []),
  ];
  return `roster: ${table.name} (${parts.join('; ')})`;
}

/**
 * What check found in a proposal, and what was done about it.
 *
 * @param mended what was left out, and what is still wrong
 */
export function describeMended({ leftOut, errors }: Mended): string[] {
  const lines = leftOut.map((line) => `  ${line}`);
  const still = errors.map(
    ({ check, found, expected, fix }) =>
      `  ${found}; expected ${expected}${fix === undefined ? '' : `: ${fix}`} (${check})`,
  );
  return [
    ...(lines.length > 0
      ? ['left out, because gamedata check found an error there:', ...firstFew(lines)]
      : []),
    ...(still.length > 0
      ? [
          `gamedata check still finds ${countOf(errors.length, 'error')} in the proposal; correct them after gamedata add:`,
          ...firstFew(still),
        ]
      : ['gamedata check finds no error in the proposal']),
  ];
}

/**
 * Describes the tables of a dump.
 *
 * @param read the names of those that the proposal reads, which come first if not all are described
 * @param max how many are described
 */
export function describeTables(
  tables: readonly FoundTable[],
  read: ReadonlySet<string> = new Set(),
  max = Number.POSITIVE_INFINITY,
): string[] {
  if (tables.length <= max) return [`${countOf(tables.length, 'table')}:`, ...tables.flatMap(describeTable)];
  const known = [...read].flatMap((name) => tables.filter((table) => table.name === name));
  const first = [...known, ...tables.filter(({ name }) => !read.has(name))];
  return [
    `${countOf(tables.length, 'table')}, of which the proposal reads ${read.size}, such as:`,
    ...first.slice(0, max).flatMap(describeTable),
    `  and ${tables.length - max} more: gamedata new with --list-tables lists all`,
  ];
}

function describeTable(table: FoundTable): string[] {
  const { name, files, fileCount, at } = table;
  const fields = describeFieldsOf(table);
  const where = `${files}${fileCount > 1 ? ` (${fileCount} files)` : ''}${at === '' ? '' : ` at ${at}`}`;
  return [`  ${name}: ${where}, ${describeRows(table)}`, ...(fields ? [`    ${fields}`] : [])];
}

const MAX_SHOWN = 10;

/** What of a dump was not read, and why. */
export function describeUnread({ unread, others, sampled }: DumpValues): string[] {
  const lines = unread.map(({ file, reason }) => `  ${file}: ${reason}`);
  const parts = sampled.map(
    ({ file, bytes, of }) => `  ${file}: the first ${megabytes(bytes)} of ${megabytes(of)}`,
  );
  return [
    ...(parts.length > 0
      ? [`only the beginning was read, ${countOf(parts.length, 'file')}:`, ...firstFew(parts)]
      : []),
    ...(unread.length > 0 ? [`not read, ${countOf(unread.length, 'file')}:`, ...firstFew(lines)] : []),
    ...(others.length > 0 ? [`not read, because the format is unknown: ${countExtensions(others)}`] : []),
  ];
}

function firstFew(lines: readonly string[]): string[] {
  const more = lines.length - MAX_SHOWN;
  return [...lines.slice(0, MAX_SHOWN), ...(more > 0 ? [`  and ${more} more`] : [])];
}

/** The number of files with each extension, the most frequent first: `12 .png, 1 .xml`. */
function countExtensions(files: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const file of files) {
    const extension = path.posix.extname(file).toLowerCase() || 'without an extension';
    counts.set(extension, (counts.get(extension) ?? 0) + 1);
  }
  const sorted = [...counts].sort(([a, many], [b, more]) => more - many || (a < b ? -1 : 1));
  const rest = sorted.slice(MAX_SHOWN).reduce((sum, [, count]) => sum + count, 0);
  return [
    ...sorted.slice(0, MAX_SHOWN).map(([extension, count]) => `${count} ${extension}`),
    ...(rest > 0 ? [`${rest} others`] : []),
  ].join(', ');
}
