import path from 'node:path';
import type { Expression } from '../../compile/expression.ts';
import type { Mapping } from '../../compile/mapping.ts';
import type { GameSource } from '../../read/game/read-game.ts';
import type { CheckFinding } from '../../check/check.ts';
import { nameSome } from '../step.ts';
import type { GameCheck } from './game-check.ts';

/** A game with two tables and a dataset. */
const withDataset = (items: string) => ({
  'game.json': {
    title: 'Game',
    tables: { units: 'raw/units.json', guilds: 'raw/guilds.json' },
    datasets: { items },
  },
  '1.0/raw/units.json': [{ id: 'a' }],
  '1.0/raw/guilds.json': [{ id: 'b' }],
});

export const tableUnreadCheck: GameCheck = {
  name: 'table-unread',
  description: 'Every table is read by the mapping of at least one build.',
  scope: 'game',
  severity: 'warning',
  thresholds: {},
  passes: withDataset('$append($tables.units, guilds)'),
  fails: withDataset('$tables.units'),
  check(game, mappings) {
    const read = new Set<string>();
    for (const [definition, mapping] of mappings) {
      const names = definition.tables.map(({ name }) => name);
      for (const name of tablesOf(mapping, names)) read.add(name);
    }
    return findUnread(game, read);
  },
};

/** The tables that a mapping reads, as far as its text shows; all if it may read any. */
function tablesOf({ roster, datasets }: Mapping, names: readonly string[]): readonly string[] {
  const tableNames: string[] = [];
  const read = (expression: Expression | undefined): boolean => {
    tableNames.push(...(expression?.tables ?? []));
    return expression === undefined || expression.tables !== undefined;
  };
  const isKnown = [...(roster ? [roster] : []), ...datasets.values()].map((rows) => {
    if ('expression' in rows) {
      // Its context is the object of all tables: each name in it may be a table.
      tableNames.push(...rows.expression.literals);
      return read(rows.expression);
    }
    tableNames.push(rows.from, ...rows.others);
    return [rows.where, rows.entry].every(read);
  });
  return isKnown.every(Boolean) && read(roster?.record) ? tableNames : names;
}

function findUnread({ folder, builds }: GameSource, read: ReadonlySet<string>): CheckFinding[] {
  const tables = builds.flatMap(({ definition }) => definition.tables);
  const unread = new Map(tables.filter(({ name }) => !read.has(name)).map((table) => [table.name, table]));
  const [first] = unread.values();
  if (first === undefined) return [];
  const names = [...unread.keys()];
  return [
    {
      place: { file: path.posix.join(folder, 'game.json'), pointer: first.pointer },
      found: `${names.length === 1 ? 'the table' : `${names.length} tables`} that no expression reads: ${nameSome(names)}`,
      expected: 'only tables that the roster or a dataset is made of',
      fix: `read ${names.length === 1 ? 'it' : 'them'}, as in $tables.${first.name}, or remove ${names.length === 1 ? 'it' : 'them'}`,
    },
  ];
}
