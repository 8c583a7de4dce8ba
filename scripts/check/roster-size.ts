import { nameTables } from '../compile/union-table.ts';
import { countOf } from '../lib/count-of.ts';
import { type Check, hasFaultyFile } from './check.ts';

export const rosterSizeCheck: Check = {
  name: 'roster-size',
  description: 'A roster has at least one character.',
  scope: 'build',
  severity: 'error',
  passes: { '1.0/characters.json': [{ id: 'ann', name: 'Ann' }] },
  fails: { '1.0/characters.json': [] },
  check: ({ source, characters, rosterPlace, rosterTableMissing, trace }, readFindings) => {
    if (characters.length > 0) return [];
    const { rows, kept } = trace.selections.get('characters') ?? { rows: 0, kept: 0 };
    // If the roster's source could not be read, or its expressions failed, that is reported already.
    const follows =
      rosterTableMissing || kept > 0
        ? readFindings.some(({ severity }) => severity === 'error')
        : hasFaultyFile(readFindings, 'characters') ||
          readFindings.some(({ check }) => check === 'expression-result');
    const roster = trace.mapping.roster;
    const where = rows > 0 && kept === 0 ? roster?.where : undefined;
    const dropped =
      roster && where && `"where" drops all ${countOf(rows, 'row')} of table ${nameTables(roster)}`;
    const buildFile = `${source.folder}/build.json`;
    return [
      {
        place: where?.place ?? rosterPlace,
        found: `no character in build ${source.build}${dropped ? `: ${dropped}` : ''}`,
        expected: 'at least one',
        follows,
        ...(rosterPlace.file === buildFile && {
          fix: 'put characters.json or characters.csv beside build.json, or map the roster in game.json',
        }),
      },
    ];
  },
};
