import { isObject } from '../../format/dist-format.ts';
import type { FoundTable } from '../dump/find-tables.ts';
import { quoteName } from './column.ts';

/** How the rows of a table become records: the attributes of each by name, with their JSONata expressions. */
export interface ProposedRows {
  table: FoundTable;
  where: string[];
  /** The expression of a joined row, which attributes name `$joined`. */
  joined: string | undefined;
  attributes: [name: string, expression: string][];
  stats: [name: string, expression: string][];
}

/** A mapping of rows as it is written in game.json. */
export interface RawRows {
  from: string;
  where?: string;
  entry: string | string[];
}

/** Renders the mapping of a roster, in lines. */
export function renderRoster(rows: ProposedRows): RawRows {
  const lines = linesOf(rows);
  const object = ['{', ...lines.map((line, at) => `  ${line}${at < lines.length - 1 ? ',' : ''}`), '}'];
  const entry =
    rows.joined === undefined
      ? object
      : ['(', `  $joined := ${rows.joined};`, ...object.map((line) => `  ${line}`), ')'];
  return { ...start(rows), entry };
}

/** Renders the mapping of a dataset, in one line. */
export function renderDataset(rows: ProposedRows): RawRows | string {
  const { groups, name } = rows.table;
  if (groups) {
    const row = `{ ${linesOf(rows).join(', ')} }`;
    const items =
      groups.kind === 'list' ? `$group.${row}` : `$each($group, function($row, $id) { $row.${row} })`;
    const keys = isObject(rows.table.value) ? Object.keys(rows.table.value) : [];
    // An id has no comma, which separates the values of a filter.
    const id = keys.some((key) => key.includes(',')) ? "$replace($key, ',', '')" : '$key';
    const title = keys.some((key) => key.includes(' ')) ? " 'name': $key," : '';
    return `[$each($tables.${name}, function($group, $key) { { 'id': ${id},${title} 'items': [${items}] } })]`;
  }
  return { ...start(rows), entry: `{ ${linesOf(rows).join(', ')} }` };
}

function start({ table, where }: ProposedRows): Pick<RawRows, 'from' | 'where'> {
  const { name, member } = table;
  const conditions = [...(member ? [`$exists(${member.path.map(quoteName).join('.')})`] : []), ...where];
  return {
    from: member?.of ?? name,
    ...(conditions.length > 0 && { where: conditions.join(' and ') }),
  };
}

function linesOf({ attributes, stats }: ProposedRows): string[] {
  return [
    ...attributes.map(([name, expression]) => `'${name}': ${expression}`),
    ...(stats.length > 0
      ? [`'stats': { ${stats.map(([name, expression]) => `'${name}': ${expression}`).join(', ')} }`]
      : []),
  ];
}
