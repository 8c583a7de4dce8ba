import { mkdir, readFile } from 'node:fs/promises';
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

/** A real step from a build to the next, and what the checks find in it. */
export interface Step {
  game: string;
  build: string;
  findings: { finding: Finding; of: string; judgement: Judgement | undefined }[];
}

/** Reads the judgements, which are beside this program. */
export async function readJudgements(): Promise<Judgement[]> {
  return JSON.parse(await readFile(path.join(ROOT, 'test/truth/judgements.json'), 'utf8')) as Judgement[];
}

/** Checks each step of a game, without the overrides that lift its findings. What the earlier build has as well does not count. */
export async function checkSteps(
  { slug, folder: dumps, builds }: TruthGame,
  folder: string,
  judgements: readonly Judgement[],
): Promise<Step[]> {
  const steps: Step[] = [];
  for (const [at, later] of builds.slice(1).entries()) {
    const pair = [builds[at] as typeof later, later].map((build) => ({ ...build, overrides: [] }));
    const target = path.join(folder, String(at), slug);
    await mkdir(target, { recursive: true });
    await layOut(slug, { folder: dumps, builds: pair, datasets: {}, values: [], records: [] }, target);
    const { findings } = await compileGame(target, slug, { lenient: false });
    const found = findings.flatMap((finding) => {
      const override = /add (\{.*?\}) to "overrides" in .*?\/([^/]+)\/build\.json/.exec(finding.fix ?? '');
      if (override?.[2] !== later.build) return [];
      const { of = '' } = JSON.parse(override[1] ?? '{}') as { of?: string };
      return [{ finding, of, judgement: judge(judgements, slug, later.build, finding.check, of) }];
    });
    steps.push({ game: slug, build: later.build, findings: found });
  }
  return steps;
}

function judge(
  judgements: readonly Judgement[],
  game: string,
  build: string,
  check: string,
  of: string,
): Judgement | undefined {
  return judgements.find(
    (one) =>
      one.game === game &&
      one.build === build &&
      one.check === check &&
      (of === one.of || of.startsWith(`${one.of}.`)),
  );
}
