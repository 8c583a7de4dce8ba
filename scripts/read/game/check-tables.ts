import { type Finding, type Place, placeBelow } from '../../findings/findings.ts';
import { pointerTo } from '../../lib/json-pointer.ts';
import { expandPattern } from '../expand-pattern.ts';
import type { RawGameDefinition } from './definition.ts';
import { defineTables, type RawTable, type Regions } from './table-definition.ts';

/**
 * Checks the patterns and the regions of all tables of a game, also of those of changes.
 *
 * @param file the path of game.json for findings
 */
export function checkTables(
  { tables, regions = {}, changes = [] }: RawGameDefinition,
  file: string,
): Finding[] {
  const layers = [
    { tables, at: '/tables' },
    ...changes.map((change, index) => ({ tables: change.tables, at: `/changes/${index}/tables` })),
  ];
  return layers.flatMap(({ tables: layer = {}, at }) =>
    Object.entries(layer).flatMap(([name, raw]): Finding[] => {
      if (raw === null) return [];
      const pointer = pointerTo(at, name);
      const ofPatterns = defineTables(name, raw, pointer, regions).flatMap(({ files }): Finding[] => {
        const expansion = expandPattern(files);
        if (!('problem' in expansion)) return [];
        return [{ check: 'table-files', severity: 'error', place: { file, pointer }, ...expansion.problem }];
      });
      const [problem] = [
        ...ofPatterns,
        ...findRegionProblems(raw, regions, { file, pointer }),
        ...findTaken(name, raw, layer, regions, { file, pointer }),
      ];
      return problem ? [problem] : [];
    }),
  );
}

/** Finds the regions of a table that game.json does not have. */
function findRegionProblems(raw: RawTable, regions: Regions, place: Place): Finding[] {
  if (typeof raw === 'string' || raw.regions === undefined) return [];
  const names = Object.keys(regions);
  const unknown = raw.regions === true ? [] : raw.regions.filter((region) => !names.includes(region));
  if (names.length > 0 && unknown.length === 0) return [];
  const listed =
    names.length > 0
      ? `one of ${names.join(', ')}`
      : '"regions" of game.json with their folders: {"jp": "jp/"}';
  const found =
    unknown.length > 0 ? `the region "${unknown[0]}"` : 'a table of regions, but the game has none';
  return [definitionError(placeBelow(place, 'regions'), found, listed)];
}

/** Finds a table of a region whose name is another table's. */
function findTaken(name: string, raw: RawTable, layer: object, regions: Regions, place: Place): Finding[] {
  return defineTables(name, raw, place.pointer, regions).flatMap((table): Finding[] => {
    if (table.declaredAs === undefined || !Object.hasOwn(layer, table.name)) return [];
    const found = `"${table.name}", the name of the table of a region and of another table`;
    return [definitionError(place, found, 'another name for one of them')];
  });
}

function definitionError(place: Place, found: string, expected: string): Finding {
  return { check: 'definition', severity: 'error', place, found, expected };
}
