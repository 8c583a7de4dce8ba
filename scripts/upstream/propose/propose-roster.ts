import type { FoundTable } from '../dump/find-tables.ts';
import { RESERVED_ATTRIBUTES } from '../../format/dist-format.ts';
import { Attributes } from './attributes.ts';
import { areUrlSafe, attributeOf, chooseClasses, type IdSource, isWhole } from './choose-columns.ts';
import type { RosterChoice } from './choose-roster.ts';
import { attributeValueOf, type Column, columnsOfTable, expressionOf } from './column.ts';
import { chooseJoinedStats, findJoins, type Join, type JoinedStats } from './find-joins.ts';
import { findMarkup, type Markup } from './find-markup.ts';
import { rankNumbers } from './find-rarity.ts';
import { findRatioStats } from './ratio-stats.ts';
import type { Stat } from './find-stats.ts';
import { findTranslations, languageOfTable } from './languages.ts';
import type { ProposedRows } from './proposed-rows.ts';
import { findReferredNames, type ReferredName } from './referred-names.ts';
import type { TextSources } from './text-sources.ts';

/** The mapping of the roster, and what it needs. */
export interface ProposedRoster {
  rows: ProposedRows;
  /** What tables have to be keyed by, by their names. */
  keys: Map<string, NonNullable<Join['key']>>;
  /** The same table in folders of other languages or regions. */
  same: readonly FoundTable[];
  /** The language of `name`, as far as a folder, a table or a column names it. */
  language: string | undefined;
}

/** Proposes the mapping of a roster; adds comments by JSON Pointer. */
export function proposeRoster(
  roster: RosterChoice,
  tables: readonly FoundTable[],
  sources: TextSources,
  comments: Map<string, string[]>,
): ProposedRoster {
  const { table, columns, id, names } = roster;
  const joins = findJoins(roster, tables);
  const direct = statsOfColumns(roster.stats);
  const isInside = direct.length < 2 && roster.inside.length > 0;
  const joined =
    direct.length > 1 || isInside
      ? undefined
      : (chooseJoinedStats(joins, tables) ?? findRatioStats(roster, tables));
  const rarity = describeRarity(roster.rarity, joined?.rarity);
  const stats = joined?.stats ?? (isInside ? roster.inside : direct);
  const markup = findMarkup(names.values);
  const translated = translateName(roster, tables, markup);
  const attributes = new Attributes([...RESERVED_ATTRIBUTES, 'id', 'name', 'rarity', 'attack', 'stats']);
  const same = findTranslations(table, tables).map(({ table: other }) => other);
  const known = new Map([...names.keys, ...translated.keys, ...keyOfJoin(joined)]);
  const referred = findReferredNames(roster, tables, sources).filter(
    (each) => isFree(each, roster, known) && attributes.take(each.name),
  );
  const rows: ProposedRows = {
    table,
    where: names.column.full || names.kind !== 'text' ? [] : [`$boolean(${expressionOf(names.column)})`],
    joined: joined?.join.row,
    attributes: [
      ['id', safeIdExpression(table, id)],
      ['name', markup.strip(names.expression)],
      ...translated.attributes,
      ...(rarity.expression === undefined ? [] : [['rarity', rarity.expression] as [string, string]]),
      ...attributes.add([
        ...(rarity.column !== undefined && rarity.isText ? [rarity.column] : []),
        ...chooseClasses(columns.filter((column) => ![id, names.column, roster.rarity].includes(column))),
      ]),
      ...referred.map(({ name, expression }): [string, string] => [name, expression]),
    ],
    stats: stats.map(({ name, expression }) => [name, expression]),
  };
  comments.set('/roster', [
    'The roster: $ is a row, $key its key, $tables all tables; "where" selects rows, "record" adds what only the full record has.',
    ...describeSame(roster, same),
  ]);
  comments.set('/roster/entry', [
    ...describeNames(names, markup),
    ...rarity.comments,
    ...describeLevel(joined, isInside),
    ...describeJoins(joins),
  ]);
  return {
    rows,
    keys: new Map([...known, ...referred.flatMap(({ key }) => (key ? [key] : []))]),
    language: names.language,
    same,
  };
}

/** Whether no column has the name of an attribute, and its table can be keyed as it needs. */
function isFree(
  { name, key }: ReferredName,
  { columns }: RosterChoice,
  known: ProposedRoster['keys'],
): boolean {
  const isTaken = columns.some((column) => column.level === 1 && attributeOf(column) === name);
  return !isTaken && (key === undefined || String(known.get(key[0]) ?? key[1]) === key[1]);
}

function keyOfJoin(joined: JoinedStats | undefined): [string, NonNullable<Join['key']>][] {
  return joined?.join.key === undefined ? [] : [[joined.join.table.name, joined.join.key]];
}

const MAX_LISTED_JOINS = 30;

/** Says what a person has to know about the names. */
function describeNames({ kind }: RosterChoice['names'], markup: Markup): string[] {
  const missing =
    'No texts were found for the names: here they are keys. Join the texts with $text, or add the files that have them to the dump.';
  return [...(kind === 'text' ? [] : [missing]), ...markup.comments];
}

function describeJoins(joins: readonly Join[]): string[] {
  if (joins.length === 0) return [];
  const lines = joins.slice(0, MAX_LISTED_JOINS).map(({ text }) => `- ${text}`);
  return ['Rows of the same characters in other tables:', ...lines];
}

/** Says how the rows of the same table in other folders are added, such as those of another region. */
function describeSame({ table, id }: RosterChoice, same: readonly FoundTable[]): string[] {
  const others = same.filter(({ shape }) => 'rows' in shape);
  if (others.length === 0) return [];
  const names = [table, ...others].map(({ name }) => name);
  const keyed = id === 'key' ? '' : `give each of them "key": ${JSON.stringify(id.path[0])}, and `;
  return [`To have the rows of other folders too, ${keyed}write "from": ${JSON.stringify(names)}.`];
}

/** Says which level the stats are of, as far as the proposal knows. */
function describeLevel(joined: JoinedStats | undefined, isInside: boolean): string[] {
  const meant = 'stats are meant to be those at the highest level without equipment';
  const { level } = joined?.join ?? {};
  if (level !== undefined)
    return [`${meant}: these are of ${level.field} ${level.value}, the highest that most have.`];
  return joined || isInside ? [`${meant}: correct which level they are of.`] : [];
}

function statsOfColumns(columns: readonly Column[]): Stat[] {
  const names = new Set<string>();
  return columns.flatMap((column): Stat[] => {
    const name = attributeOf(column);
    if (names.has(name) || name.startsWith('name_')) return [];
    names.add(name);
    return [{ name, expression: attributeValueOf(column) }];
  });
}

/** The attributes with the names in other languages: from texts, from columns, or from the same table of another folder. */
function translateName(
  { table, id, names }: RosterChoice,
  tables: readonly FoundTable[],
  { strip }: Markup,
): { attributes: [string, string][]; keys: [string, string][] } {
  if (names.translations.length > 0) {
    const others = names.translations.filter(([language]) => language !== names.language);
    return {
      attributes: others.map(([language, expression]) => [`name_${language}`, strip(expression)]),
      keys: [],
    };
  }
  const keys: [string, string][] = [];
  const attributes = findTranslations(table, tables).flatMap(
    ({ language, table: other }): [string, string][] => {
      if (language === languageOfTable(table) || !('rows' in other.shape)) return [];
      const at = (row: string): [string, string][] => [
        [`name_${language}`, strip(`${row}.${expressionOf(names.column)}`)],
      ];
      if (table.shape.kind === 'keyed' && other.shape.kind === 'keyed')
        return at(`$get($tables.${other.name}, $key)`);
      if (id === 'key' || other.shape.kind !== 'list') return [];
      const [field] = id.path as [string];
      const column = columnsOfTable(other).find(({ path }) => path.length === 1 && path[0] === field);
      if (!column?.distinct || !column.full) return [];
      keys.push([other.name, field]);
      return at(`$get($tables.${other.name}, ${idExpression(id)})`);
    },
  );
  return { attributes, keys };
}

const MAX_LISTED_RARITIES = 8;

interface Rarity {
  column: Column | undefined;
  expression: string | undefined;
  /** Whether the column is a text that no number is proposed for. */
  isText: boolean;
  comments: string[];
}

/** Chooses the expression of the rarity: of the roster's own column, or that of the joined table. */
function describeRarity(ownColumn: Column | undefined, joined: Column | undefined): Rarity {
  const column = ownColumn ?? joined;
  if (column === undefined)
    return {
      ...{ column, expression: undefined, isText: false },
      comments: ['No field looks like a rarity, which must be a whole number.'],
    };
  const field = ownColumn ? expressionOf(ownColumn) : `$joined.${expressionOf(column)}`;
  if (isWhole(column) && ownColumn && countsFromZero(column)) {
    const comments = [`${field} is counted from 0 to 5: $fromZero makes stars of it.`];
    return { column, expression: `$fromZero(${field})`, isText: false, comments };
  }
  if (isWhole(column)) {
    const zero = `${field} starts at 0. If 0 means one star, use $fromZero(${field}).`;
    const comments = column.values.includes(0) ? [zero] : [];
    return { column, expression: ownColumn ? attributeValueOf(column) : field, isText: false, comments };
  }
  const numbers = rankNumbers(column);
  if (numbers) {
    const comments = [`'rarity' must be a whole number: check which ${field} has which.`];
    return { column, expression: `$get(${JSON.stringify(numbers)}, ${field})`, isText: false, comments };
  }
  const values = [...new Set(column.values)];
  const listed = values
    .slice(0, MAX_LISTED_RARITIES)
    .map((value) => JSON.stringify(value))
    .join(', ');
  const comments = [
    `'rarity' must be a whole number, but here it is ${listed}. Map each: $get({${JSON.stringify(values[0])}: 1, …}, ${field}).`,
  ];
  return { column: ownColumn, expression: undefined, isText: ownColumn !== undefined, comments };
}

/** Whether a rarity is one of six, of which the lowest is 0, as many upstreams count stars. */
function countsFromZero({ values, full }: Column): boolean {
  const numbers = new Set(values);
  const zeros = values.filter((value) => value === 0).length;
  return (
    full &&
    numbers.size === 6 &&
    [0, 1, 2, 3, 4, 5].every((star) => numbers.has(star)) &&
    zeros > values.length / 50
  );
}

/** The expression of a character's id, which is part of addresses. */
function safeIdExpression(table: FoundTable, id: IdSource): string {
  const expression = idExpression(id);
  return areUrlSafe(table, id) ? expression : `$replace(${expression}, /[^A-Za-z0-9._~-]+/, '-')`;
}

/** The expression of a record's id, as a text. */
export function idExpression(id: IdSource): string {
  if (id === 'key') return '$key';
  return id.kind === 'text' ? expressionOf(id) : `$string(${expressionOf(id)})`;
}
