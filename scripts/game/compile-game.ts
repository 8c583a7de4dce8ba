import path from 'node:path';
import type { BuildCoverage } from '../check/coverage.ts';
import type { GamePlan } from '../dist/plan.ts';
import { BoundedFindings } from '../findings/bounded-findings.ts';
import type { Outcome } from '../findings/findings.ts';
import { UNWATCHED } from '../findings/steps.ts';
import { readGame } from '../read/game/read-game.ts';
import type { CompileOptions } from './compile-options.ts';
import { GameCompilation } from './game-compilation.ts';

/** A game's plan, undefined after an error; its findings; and what its newest build has, unless that was compiled in an earlier run. */
export type CompiledGame = Outcome<GamePlan | undefined> & { coverage?: BuildCoverage | undefined };

/**
 * Reads, compiles and checks a game. Nothing is written except to the cache.
 *
 * @param folder the game's folder
 * @param steps gets each stage and step when it begins
 */
export async function compileGame(
  folder: string,
  slug: string,
  options: CompileOptions = {},
  steps = UNWATCHED,
): Promise<CompiledGame> {
  steps.beginStage('reading the definitions', path.posix.join(folder, 'game.json'));
  const { value: game, findings: definitionFindings } = await readGame(folder, slug, options.upstream?.cache);
  const findings = new BoundedFindings();
  findings.add(definitionFindings);
  if (game === undefined) return { value: undefined, findings: findings.list() };
  const compilation = await GameCompilation.begin(game, findings, options, steps);
  // A build in dist/ is damaged: all builds are compiled again.
  if (!(await compilation.addBuilds()))
    return await compileGame(folder, slug, { ...options, trust: false }, steps);
  const plan = await compilation.finish();
  return { value: plan, findings: findings.list(), coverage: compilation.coverage };
}
