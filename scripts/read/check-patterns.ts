import type { Finding } from '../findings/findings.ts';
import { pointerTo } from '../lib/json-pointer.ts';
import type { RawGameDefinition } from './definition.ts';
import { expandPattern } from './expand-pattern.ts';
import { defineTable } from './table-definition.ts';

/**
 * Checks the patterns of all tables of a game, also of those of changes.
 *
 * @param file the path of game.json for findings
 */
export function checkPatterns({ tables, changes = [] }: RawGameDefinition, file: string): Finding[] {
  const layers = [
    { tables, at: '/tables' },
    ...changes.map((change, index) => ({
      tables: change.tables,
      at: `${pointerTo('/changes', index)}/tables`,
    })),
  ];
  return layers.flatMap(({ tables: layer = {}, at }) =>
    Object.entries(layer).flatMap(([name, raw]): Finding[] => {
      if (raw === null) return [];
      const pointer = pointerTo(at, name);
      const expansion = expandPattern(defineTable(name, raw, pointer).files);
      if (!('problem' in expansion)) return [];
      return [{ check: 'table-files', severity: 'error', place: { file, pointer }, ...expansion.problem }];
    }),
  );
}
