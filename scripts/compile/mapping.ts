import path from 'node:path';
import type { Finding, Outcome, Place } from '../findings.ts';
import { placeBelow } from '../findings.ts';
import type { RowMapping } from '../read/definition.ts';
import type { GameSource } from '../read/read-game.ts';
import { compileExpression, type Expression } from './expression.ts';

/** A game's mapping with its expressions parsed. */
export interface Mapping {
  roster?: MappedRows & { record?: Expression };
  datasets: Map<string, MappedRows | { expression: Expression }>;
}

/** The rows of a table, and the expressions that make records of them. */
export interface MappedRows {
  from: string;
  place: Place;
  where?: Expression;
  entry: Expression;
}

/** Parses the expressions of a game's definition; a build is compiled with them any number of times. */
export function compileMapping({ folder, definition }: GameSource): Outcome<Mapping> {
  const findings: Finding[] = [];
  const file = path.posix.join(folder, 'game.json');
  const tables = new Set(definition.tables.map(({ name }) => name));

  const parse = (text: string | undefined, place: Place): Expression | undefined => {
    if (text === undefined) return undefined;
    const outcome = compileExpression(text, place);
    if ('value' in outcome) return outcome.value;
    findings.push(outcome.finding);
    return undefined;
  };
  const parseRows = (rows: RowMapping, place: Place): MappedRows | undefined => {
    if (!tables.has(rows.from)) {
      findings.push({
        check: 'mapping-tables',
        severity: 'error',
        place: placeBelow(place, 'from'),
        found: `the table "${rows.from}"`,
        expected: tables.size > 0 ? `one of ${[...tables].join(', ')}` : 'a table declared under "tables"',
      });
    }
    const where = parse(rows.where, placeBelow(place, 'where'));
    const entry = parse(rows.entry, placeBelow(place, 'entry'));
    return entry && { from: rows.from, place, entry, ...(where && { where }) };
  };

  const { roster, datasets } = definition;
  const rosterPlace = { file, pointer: '/roster' };
  const rosterRows = roster && parseRows(roster, rosterPlace);
  const record = parse(roster?.record, placeBelow(rosterPlace, 'record'));
  const mapping: Mapping = {
    ...(rosterRows && { roster: { ...rosterRows, ...(record && { record }) } }),
    datasets: new Map(),
  };
  for (const dataset of datasets) {
    const place = { file, pointer: placeBelow({ file, pointer: '/datasets' }, dataset.key).pointer };
    if ('expression' in dataset) {
      const expression = parse(dataset.expression, place);
      if (expression) mapping.datasets.set(dataset.key, { expression });
    } else {
      const rows = parseRows(dataset, place);
      if (rows) mapping.datasets.set(dataset.key, rows);
    }
  }
  return { value: mapping, findings };
}
