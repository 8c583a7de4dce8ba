import path from 'node:path';
import { checkBuild } from '../check/check-build.ts';
import { StepChecker } from '../check/steps/step-checker.ts';
import { compileBuild } from '../compile/compile-build.ts';
import { encodeBuild } from '../compile/encode-build.ts';
import { Evaluations } from '../compile/evaluations.ts';
import { findMisspelt } from '../compile/find-misspelt.ts';
import { compileMappings } from '../compile/mapping.ts';
import type { BuildContent } from '../diff/build-content.ts';
import { type GamePlan, GamePlanner } from '../dist/plan.ts';
import { readBuild } from '../dist/read-dist.ts';
import { BoundedFindings } from '../findings/bounded-findings.ts';
import { type Finding, hasErrors, type Outcome } from '../findings/findings.ts';
import { pointerTo } from '../lib/json-pointer.ts';
import { findBuildFiles } from '../read/build-files.ts';
import { type GameSource, readGame } from '../read/read-game.ts';
import { readBuildsLock } from '../recorded/builds-lock.ts';
import { checkRecorded } from '../recorded/check-recorded.ts';
import { locateFindings } from '../report/report.ts';
import { BuildMemo, type ReuseFolders } from '../reuse/build-memo.ts';
import { beginStage, beginStep } from '../watchdog/step.ts';

/** How a game is compiled. */
export interface CompileOptions {
  /** Where builds that are as they were are taken from; without it, all are compiled. */
  reuse?: ReuseFolders | undefined;
  /** Whether they may be taken; what is compiled is remembered all the same. */
  trust?: boolean;
  /** Whether what is only wrong beside other builds or the record is a warning: for looking, not for publishing. Not with `reuse`. */
  lenient?: boolean;
  /** ms since 1970. A recorded build that is not out by then may change; without it, all are held to their record. */
  now?: number;
}

/**
 * Reads, compiles and checks a game: all that is done before anything is written.
 *
 * @param folder the game's folder
 */
export async function compileGame(
  folder: string,
  slug: string,
  options: CompileOptions = {},
): Promise<Outcome<GamePlan | undefined>> {
  const { reuse, trust = true, lenient = false, now = Number.POSITIVE_INFINITY } = options;
  beginStage('reading the definitions', path.posix.join(folder, 'game.json'));
  const findings = new BoundedFindings();
  const { value: game, findings: definitionFindings } = await readGame(folder, slug);
  findings.add(definitionFindings);
  if (game === undefined) return { value: undefined, findings: findings.list() };
  const mappings = compileMappings(game);
  findings.add(mappings.findings);
  const mapped = game.usable && mappings.findings.length === 0;
  const memo = reuse && (await BuildMemo.open(reuse, folder, slug, trust));

  const planner = new GamePlanner(slug, game.title);
  const stepChecker = new StepChecker();
  const evaluations = new Evaluations();
  // Of all builds so far: a file that several share is read, and found faulty, once.
  const readFindings = new BoundedFindings();
  const served = new Set(['characters']);
  let whole = !hasErrors(findings.list());
  let previous: BuildContent | undefined;
  for await (const files of findBuildFiles(game)) {
    const { source } = files;
    const before = planner.newest;
    // What is wrong with the files themselves goes into no key, and is to be told every time.
    const faulty = hasErrors(files.findings);
    const key = faulty ? undefined : memo?.keyOf(game.title, files, before, stepChecker.rarities);
    const known = key === undefined ? undefined : memo?.find(key);
    if (known) {
      findings.add(known.findings);
      for (const { key } of known.entry.datasets) served.add(key);
      planner.keepBuild(known.entry);
      stepChecker.resume(known.rarities);
      previous = undefined;
      continue;
    }
    const tables = await files.read();
    const found = new BoundedFindings(findings);
    found.add(files.findings, tables.findings);
    readFindings.add(files.findings, tables.findings);
    // Without its mapping a game cannot be compiled; what is wrong with its files is told all the same.
    const mapping = mappings.value.get(source.definition);
    if (mapped && mapping !== undefined) {
      if (before && reuse && !previous) {
        previous = await readBuild(reuse.out, { slug, title: game.title }, before);
        // What is damaged there is made anew with all else.
        if (previous === undefined) return await compileGame(folder, slug, { ...options, trust: false });
        stepChecker.resume(stepChecker.rarities, previous);
      }
      const { value: build, findings: compileFindings } = await compileBuild(
        tables.value,
        mapping,
        evaluations.of(tables.value),
      );
      beginStep('checking the build', path.posix.join(source.folder, 'build.json'));
      found.add(compileFindings, findMisspelt(tables.value, mapping));
      found.add(checkBuild(build, readFindings.list()));
      whole &&= !hasErrors(found.list());
      const gates = stepChecker.check(build, whole);
      found.add(lenient ? gates.map(soften) : gates);
      whole &&= !hasErrors(found.list());
      for (const { key } of build.datasets) served.add(key);
      // What is not published need not be encoded; and what is wrong with it may keep it from being compared.
      if (whole) {
        const content = encodeBuild(slug, game.title, build);
        const entry = await planner.addBuild(content, source, previous);
        previous = content;
        const { rarities } = stepChecker;
        if (key !== undefined)
          memo?.remember(key, { entry, rarities, findings: await locateFindings(found.list()) });
      }
    }
  }
  await memo?.save();
  // What is wrong elsewhere may be what keeps a dataset away.
  if (mapped && !hasErrors(findings.list())) findings.add(findIdleSchemas(game, served));
  if (!mapped || hasErrors(findings.list())) return { value: undefined, findings: findings.list() };
  const plan = planner.finish();
  const lock = await readBuildsLock(folder);
  const changed =
    'value' in lock ? await checkRecorded(folder, lock.value, plan, reuse?.out, now) : lock.findings;
  findings.add(lenient ? changed.map(soften) : changed);
  return { value: plan, findings: findings.list() };
}

function soften(finding: Finding): Finding {
  return { ...finding, severity: 'warning' };
}

/** A schema of what no build has would check nothing, in silence. */
function findIdleSchemas({ folder, schemas }: GameSource, served: ReadonlySet<string>): Finding[] {
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
