import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Finding } from '../../scripts/findings/findings.ts';
import { compileGame } from '../../scripts/game/compile-game.ts';
import { ROOT } from '../support/paths.ts';
import { layOut } from '../upstream/lay-out.ts';
import type { TruthGame } from './games.ts';

/** What a careful maintainer says of a finding in a real step: that it is good to know (`wanted`), or not (`needless`). */
export interface Judgement {
  game: string;
  /** The later build. */
  build: string;
  check: string;
  /** The list or attribute, as in an override. */
  of: string;
  verdict: 'wanted' | 'needless';
  reason: string;
}

/** A finding in a real build, and what a careful maintainer says of it. */
export interface Judged {
  finding: Finding;
  of: string;
  judgement: Judgement | undefined;
}

/** A real step from a build to the next, or a first build; and what the checks find in it. */
export interface Step {
  game: string;
  build: string;
  isFirst: boolean;
  findings: Judged[];
}

/** Reads the judgements, which are beside this program. */
export async function readJudgements(): Promise<Judgement[]> {
  return JSON.parse(await readFile(path.join(ROOT, 'test/truth/judgements.json'), 'utf8')) as Judgement[];
}

/** Lays out all dumps of a game in a folder, without the overrides that lift findings. */
export async function layOutPlain({ slug, folder, builds }: TruthGame, target: string): Promise<void> {
  const plain = builds.map((build) => ({ ...build, overrides: [] }));
  await layOut(slug, { folder, builds: plain, datasets: {}, values: [], records: [] }, target);
}

/** Checks all builds of a game, without the overrides that lift findings. */
export async function checkSteps(
  game: TruthGame,
  folder: string,
  judgements: readonly Judgement[],
): Promise<Step[]> {
  const { slug, builds } = game;
  const target = path.join(folder, slug);
  await layOutPlain(game, target);
  const { findings } = await compileGame(target, slug);
  const steps = builds.map(({ build }, at): Step => ({ game: slug, build, isFirst: at === 0, findings: [] }));
  for (const finding of findings) {
    const { build, place, of = place.pointer } = finding;
    // What is not about one build, such as a table that no mapping reads, is there from the first build on.
    const step = steps.find((other) => other.build === build) ?? (steps[0] as Step);
    const judgement = judgements.find((one) => fits(one, step, finding.check, of));
    step.findings.push({ finding, of, judgement });
  }
  return steps;
}

function fits(judgement: Judgement, { game, build }: Step, check: string, of: string): boolean {
  const isSame = judgement.game === game && judgement.build === build && judgement.check === check;
  return isSame && (of === judgement.of || of.startsWith(`${judgement.of}.`));
}
