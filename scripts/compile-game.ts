import { checkBuild, checkStep } from './check/check-build.ts';
import { type CompiledBuild, compileBuild } from './compile/compile-build.ts';
import { compileMappings } from './compile/mapping.ts';
import { countOf } from './count-of.ts';
import { addFindings, type Finding, type Outcome } from './findings.ts';
import { type GamePlan, GamePlanner } from './plan.ts';
import { type Progress, SILENT } from './progress.ts';
import { readGame } from './read/read-game.ts';
import { readTables } from './read/read-tables.ts';

/** Reads, compiles and checks a game: all that is done before anything is written. */
export async function compileGame(
  folder: string,
  slug: string,
  progress: Progress = SILENT,
): Promise<Outcome<GamePlan | undefined>> {
  const { value: game, findings } = await readGame(folder, slug);
  if (game === undefined) return { value: undefined, findings };
  const mappings = compileMappings(game);
  addFindings(findings, mappings.findings);
  const mapped = game.usable && mappings.findings.length === 0;

  const planner = new GamePlanner(slug, game.title);
  // Of all builds so far: a file that several share is read, and found faulty, once.
  const readFindings: Finding[] = [];
  let previous: CompiledBuild | undefined;
  for await (const tables of readTables(game)) {
    const { source } = tables.value;
    progress.step(`${slug} ${source.build}`);
    addFindings(findings, tables.findings);
    addFindings(readFindings, tables.findings);
    // Without its mapping a game cannot be compiled; what is wrong with its files is told all the same.
    const mapping = mappings.value.get(source.definition);
    if (!mapped || mapping === undefined) continue;
    const { value: build, findings: compileFindings } = await compileBuild(tables.value, mapping);
    const checked = checkBuild(build, readFindings);
    addFindings(findings, compileFindings, checked, previous ? checkStep(previous, build) : []);
    planner.addBuild(build);
    previous = build;
  }
  if (!mapped) return { value: undefined, findings };
  const plan = planner.finish();
  const { characters, datasets } = plan.newest;
  const parts = [
    countOf(plan.builds, 'build'),
    countOf(characters, 'character'),
    countOf(datasets, 'dataset'),
  ];
  progress.done(`${slug}: ${parts.join(', ')}`);
  return { value: plan, findings };
}
