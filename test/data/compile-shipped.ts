import path from 'node:path';
import { compileGame } from '../../scripts/compile/game.ts';
import type { GamePlan } from '../../scripts/dist/plan.ts';
import type { WithFindings } from '../../scripts/findings.ts';
import { DATA } from '../support/paths.ts';

const compiled = new Map<string, Promise<WithFindings<GamePlan | undefined>>>();

/** Compiles the newest build of a game of data/, once for all tests. */
export function compileShipped(slug: string): Promise<WithFindings<GamePlan | undefined>> {
  const outcome =
    compiled.get(slug) ?? compileGame(path.join(DATA, slug), slug, { only: { names: [], newest: 1 } });
  compiled.set(slug, outcome);
  return outcome;
}
