import { checkBuild } from '../../scripts/core/check/check-build.ts';
import { type CompiledBuild, compileBuild } from '../../scripts/core/compile/compile-build.ts';
import { encodeBuild } from '../../scripts/core/compile/encode-build.ts';
import { Evaluations } from '../../scripts/core/compile/evaluations.ts';
import { compileMappings } from '../../scripts/core/compile/mapping.ts';
import type { Finding } from '../../scripts/core/findings/findings.ts';
import type { BuildContent } from '../../scripts/core/format/build-content.ts';
import { jsonataEngine } from '../../scripts/core/jsonata/load-engine.ts';
import { findBuildFiles } from '../../scripts/core/read/build-files.ts';
import { readGame } from '../../scripts/core/read/read-game.ts';
import { carryDatasets } from '../../scripts/parts/corrections/carry-datasets.ts';
import { chooseCarried } from '../../scripts/parts/upstream/commands/carry.ts';
import { isHeld } from './recall.ts';
import { GameStepChecker } from '../../scripts/parts/steps/step-checker.ts';

/**
 * What becomes of a real build if nobody is there: it is served, or with datasets of the build before (`carried`), it is held back with a question,
 * or it waits for the question before it.
 */
export interface PulledBuild {
  game: string;
  build: string;
  outcome: 'served' | 'carried' | 'asked' | 'waiting';
  /** What holds it back. */
  findings: Finding[];
}

/** A build that later ones are compared with. */
interface Known {
  seen: unknown;
  content: BuildContent;
}

/** Takes the builds of a game in turn, as `gamedata pull --build` does without any override. The first one is served. */
export async function pullBuilds(folder: string, slug: string): Promise<PulledBuild[]> {
  const { value: game } = await readGame(folder, slug);
  if (!game?.usable) throw new Error(`the definition of ${slug} has errors`);
  const { value: mappings } = compileMappings(game, await jsonataEngine());
  const evaluations = new Evaluations();
  const pulled: PulledBuild[] = [];
  let served: Known | undefined;
  let held: Known | undefined;
  for await (const files of findBuildFiles(game)) {
    const mapping = mappings.get(files.source.definition);
    if (mapping === undefined) throw new Error(`the mapping of ${slug} has errors`);
    const { value: tables } = await files.read();
    const { value: compiled } = await compileBuild(tables, mapping, evaluations.of(tables));
    const build = { ...compiled, source: { ...compiled.source, overrides: [] } };
    const first = tryBuild(build, served);
    const carried = carryStrange(build, served, first.findings);
    const last = carried ? tryBuild(carried, served) : first;
    const content = encodeBuild(slug, game.title, carried && last.findings.length === 0 ? carried : build);
    const isServed = served === undefined || last.findings.length === 0;
    const again = held && !isServed ? tryBuild(build, held) : undefined;
    if (isServed) [served, held] = [{ seen: last.seen, content }, undefined];
    else held = { seen: (again ?? first).seen, content };
    const waits = again?.findings.length === 0 ? 'waiting' : 'asked';
    const outcome = isServed ? (carried ? 'carried' : 'served') : waits;
    pulled.push({ game: slug, build: build.source.build, outcome, findings: first.findings });
  }
  return pulled;
}

/** The build with datasets of the build before, if these are all that holds it back. */
function carryStrange(
  build: CompiledBuild,
  known: Known | undefined,
  findings: readonly Finding[],
): CompiledBuild | undefined {
  const carried = chooseCarried(findings, build.source.build);
  if (known === undefined || carried === undefined) return undefined;
  return carryDatasets({ ...build, source: { ...build.source, carried } }, known.content, {}).value;
}

/** What holds a build back if it comes after another one. */
function tryBuild(build: CompiledBuild, known: Known | undefined): { seen: unknown; findings: Finding[] } {
  const checker = new GameStepChecker();
  if (known) checker.resume(known.seen, known.content);
  const found = [...checkBuild(build, [])];
  const all = [
    ...found,
    ...checker.check(
      build,
      found.every(({ severity }) => severity !== 'error'),
    ),
  ];
  return { seen: checker.seen, findings: all.filter(isHeld) };
}
