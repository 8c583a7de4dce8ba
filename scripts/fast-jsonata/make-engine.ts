import type { Engine } from '../jsonata/engine.ts';
import { JSONATA_2_2_2 } from './replacements.ts';
import { rewrite } from './rewrite.ts';
import { RewrittenEngine } from './rewritten-engine.ts';

/**
 * Implements `MakeEngine`: rewrites the source if it is the known one.
 *
 * @param table only tests pass another one
 */
export function makeRewrittenEngine(
  source: string,
  filename: string,
  table = JSONATA_2_2_2,
): Engine | { problem: string } {
  const rewritten = rewrite(source, table);
  return 'problem' in rewritten ? rewritten : new RewrittenEngine(rewritten, filename);
}
