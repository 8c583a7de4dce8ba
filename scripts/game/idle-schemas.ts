import path from 'node:path';
import type { Finding } from '../findings/findings.ts';
import { pointerTo } from '../lib/json-pointer.ts';
import type { GameSource } from '../read/game/read-game.ts';

/**
 * Finds schemas of lists and objects that no build has: they would check nothing, without an error.
 *
 * @param served the keys of all lists and objects that any build has
 */
export function findIdleSchemas({ folder, schemas }: GameSource, served: ReadonlySet<string>): Finding[] {
  return [...schemas.keys()]
    .filter((key) => !served.has(key))
    .map((key) => ({
      check: 'dataset-schema',
      severity: 'error',
      place: { file: path.posix.join(folder, 'game.json'), pointer: pointerTo('/schemas', key) },
      found: `a schema of "${key}", which no build has`,
      expected: `one of ${[...served].sort().join(', ')}`,
    }));
}
