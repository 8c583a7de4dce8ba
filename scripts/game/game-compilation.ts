import path from 'node:path';
import { checkBuild } from '../check/check-build.ts';
import type { BuildCoverage } from '../check/coverage.ts';
import { type CompiledBuild, compileBuild } from '../compile/compile-build.ts';
import { encodeBuild } from '../compile/encode-build.ts';
import { Evaluations } from '../compile/evaluations.ts';
import { compileMappings, type Mapping, type Mappings } from '../compile/mapping.ts';
import type { CorrectedBuild, CorrectedSoFar } from '../corrections/apply-corrections.ts';
import { describeBuild } from '../dictionary/describe-build.ts';
import { diffStep } from '../diff/diff-step.ts';
import { type GamePlan, GamePlanner } from '../dist/plan.ts';
import { readBuild } from '../dist/read-dist.ts';
import { BoundedFindings } from '../findings/bounded-findings.ts';
import { type Finding, hasErrors, type Outcome } from '../findings/findings.ts';
import type { Steps } from '../findings/steps.ts';
import type { BuildContent } from '../format/build-content.ts';
import type { Aliases } from '../format/dist-format.ts';
import { type BuildFiles, findBuildFiles } from '../read/build-files.ts';
import { UNTIL_AGREED } from '../read/game/corrections.ts';
import type { BuildSource, GameSource } from '../read/game/read-game.ts';
import type { BuildTables } from '../read/read-tables.ts';
import { readBuildsLock } from '../recorded/builds-lock.ts';
import { checkRecorded } from '../recorded/check-recorded.ts';
import { locateFindings } from '../report/report.ts';
import { FileMemo } from '../reuse/build-memo.ts';
import { ChangeChecker, checkGame, checkSettings } from '../changes/change-checker.ts';
import { aliasesIn, findUnknownAliases } from './aliases.ts';
import { type Caused, findFaults } from './caused-findings.ts';
import type { CompileOptions } from './compile-options.ts';
import { findIdleSchemas } from './idle-schemas.ts';
import type { BuildMemo } from './reuse.ts';

/** What a compilation works with. Each is undefined if it does without. */
interface Tools {
  memo: BuildMemo | undefined;
  planner: GamePlanner;
}

/** Makes the plan of a game, build by build, oldest first. */
export class GameCompilation {
  readonly #game: GameSource;
  readonly #findings: BoundedFindings;
  readonly #options: CompileOptions;
  readonly #steps: Steps;
  readonly #mappings: Mappings;
  /** Whether the definitions have no errors, so that builds can be compiled. */
  readonly #mapped: boolean;
  readonly #memo: BuildMemo | undefined;

  readonly #planner: GamePlanner;
  readonly #changeChecker = new ChangeChecker();
  readonly #evaluations: Evaluations;
  /** The findings of reading all builds so far: a file that several builds share is read and reported once. */
  readonly #readFindings = new BoundedFindings();
  /** The keys of all lists and objects of the builds so far. */
  readonly #served = new Set(['characters']);
  /** What upstream had in the builds so far where corrections replace it. */
  #corrected: CorrectedSoFar = {};
  /** Whether there was no error so far. */
  #whole: boolean;
  /** Whether there was none in the definition, the files and the expressions so far, so that builds can be compared. */
  #comparable: boolean;
  /** The aliases of the newest build that was compiled. */
  #aliases: Aliases = {};
  /** The build before, if this run compiled or read it. */
  #previous: BuildContent | undefined;

  private constructor(
    game: GameSource,
    findings: BoundedFindings,
    options: CompileOptions,
    steps: Steps,
    { memo, planner }: Tools,
  ) {
    const mappings = compileMappings(game);
    findings.add(checkSettings(game.folder, game.checks), mappings.findings);
    this.#game = game;
    this.#findings = findings;
    this.#options = options;
    this.#steps = steps;
    this.#mappings = mappings.value;
    this.#mapped = game.usable && mappings.findings.length === 0;
    this.#memo = memo;
    this.#planner = planner;
    this.#evaluations = new Evaluations(steps);
    this.#whole = !hasErrors(findings.list());
    this.#comparable = this.#whole;
  }

  /**
   * Begins with a game's definition.
   *
   * @param findings the findings of the definition; all others are added to them
   */
  static async begin(
    game: GameSource,
    findings: BoundedFindings,
    options: CompileOptions,
    steps: Steps,
  ): Promise<GameCompilation> {
    const { reuse, trust = true, keep = { in: 'memory' }, formats, formatsOf } = options;
    const memo = reuse && (await FileMemo.open(reuse, game.folder, game.slug, trust));
    const planner = await GamePlanner.begin(game, keep, formats, formatsOf);
    return new GameCompilation(game, findings, options, steps, { memo, planner });
  }

  /**
   * Adds all builds of the game to the plan. Builds that did not change are kept, the others are compiled.
   *
   * @returns false if dist/ lacks a build that it should have; then none of its builds may be kept
   */
  async addBuilds(): Promise<boolean> {
    for await (const files of findBuildFiles(this.#game, this.#steps)) {
      if (!this.#isChosen(files.source)) {
        this.#leaveOut(files.source);
        continue;
      }
      const key = this.#keyOf(files);
      // The builds after a fault were not compared with it.
      if (this.#whole && this.#keepBuild(files.source, key)) continue;
      if (!(await this.#makeBuild(files, key))) return false;
    }
    await this.#memo?.save();
    return true;
  }

  #isChosen({ build, corrections }: BuildSource): boolean {
    const { only } = this.#options;
    if (only === undefined || only.names.includes(build)) return true;
    const { builds } = this.#game;
    if (builds.slice(builds.length - only.newest).some((source) => source.build === build)) return true;
    // Whether such a correction still holds depends on all builds before.
    return corrections.some(({ until }) => until === UNTIL_AGREED);
  }

  #leaveOut(source: BuildSource): void {
    this.#planner.leaveOut(source.build);
    this.#changeChecker.skip(source);
    this.#previous = undefined;
  }

  /** What the newest build has; undefined if it was not compiled. */
  get coverage(): BuildCoverage | undefined {
    return this.#changeChecker.cover(this.#game.slug, this.#aliases);
  }

  /** The plan of all builds; undefined after an error. */
  async finish(): Promise<GamePlan | undefined> {
    const isAll = this.#options.only === undefined;
    if (this.#mapped && isAll) this.#findings.add(this.#soften(this.#changeChecker.finish()));
    // Only if there is no error: an error could be the reason that a dataset is missing, or a table unread.
    if (this.#canPlan() && isAll)
      this.#findings.add(findIdleSchemas(this.#game, this.#served), checkGame(this.#game));
    if (!this.#canPlan()) return undefined;
    await this.#checkAliases();
    const { folder } = this.#game;
    const plan = await this.#planner.finish((build) =>
      this.#steps.beginStage('writing other formats of', path.posix.join(folder, build, 'build.json')),
    );
    await this.#compareWithRecord(plan);
    return plan;
  }

  async #checkAliases(): Promise<void> {
    if (Object.keys(this.#game.aliases).length === 0 || !(await this.#readPrevious())) return;
    if (this.#previous) this.#findings.add(findUnknownAliases(this.#game, this.#previous));
  }

  #canPlan(): boolean {
    return this.#mapped && !hasErrors(this.#findings.list());
  }

  /** The key of a build in the memo; undefined if the build is not to be remembered. */
  #keyOf(files: BuildFiles): string | undefined {
    // Findings about the files are not part of a key. Such a build is compiled, and its findings reported, each time.
    if (hasErrors(files.findings)) return undefined;
    const state = { seen: this.#changeChecker.seen, corrected: this.#corrected };
    return this.#memo?.keyOf(this.#game.title, files, this.#planner.newest, state);
  }

  /** Adds a build without compiling it; false if it must be compiled. */
  #keepBuild(source: BuildSource, key: string | undefined): boolean {
    const memo = key && this.#memo?.find(key, source === this.#game.builds.at(-1));
    if (!memo) return false;
    this.#findings.add(memo.findings);
    for (const { key } of memo.entry.datasets) this.#served.add(key);
    this.#planner.keepBuild(memo.entry);
    this.#changeChecker.resume(memo.seen);
    this.#corrected = memo.corrected;
    this.#previous = undefined;
    return true;
  }

  /** @returns as `addBuilds` */
  async #makeBuild(files: BuildFiles, key: string | undefined): Promise<boolean> {
    const buildFindings = new BoundedFindings(this.#findings);
    const tables = await this.#read(files, buildFindings);
    const mapping = this.#mappings.get(files.source.definition);
    // Without its mapping a game cannot be compiled, but faults in its files are reported.
    if (!this.#mapped || mapping === undefined) return true;
    if (!(await this.#readPrevious())) return false;
    const build = await this.#compile(tables, mapping, buildFindings);
    this.#check(build, buildFindings);
    // A build with errors is not published, and it may not be possible to compare it.
    if (this.#whole) await this.#plan(build, key, buildFindings);
    return true;
  }

  async #read(files: BuildFiles, buildFindings: BoundedFindings): Promise<BuildTables> {
    const { value: tables, findings } = await files.read();
    buildFindings.add(files.findings, findings);
    this.#readFindings.add(files.findings, findings);
    return tables;
  }

  /** Reads the build before from dist/, if it was kept; false if it is damaged. */
  async #readPrevious(): Promise<boolean> {
    const { slug, title } = this.#game;
    const { newest } = this.#planner;
    const { reuse } = this.#options;
    if (newest === undefined || reuse === undefined || this.#previous) return true;
    this.#previous = await readBuild(reuse.out, { slug, title }, newest);
    if (this.#previous === undefined) return false;
    this.#changeChecker.resume(this.#changeChecker.seen, this.#previous);
    return true;
  }

  async #compile(
    tables: BuildTables,
    mapping: Mapping,
    buildFindings: BoundedFindings,
  ): Promise<CompiledBuild> {
    const { value: compiled, findings } = compileBuild(tables, mapping, this.#evaluations.of(tables));
    const { value: corrected, findings: ofCorrections } = await this.#correct(compiled);
    const readFindings = this.#readFindings.list();
    const isFaulty = findFaults(readFindings, tables);
    this.#addCaused(
      buildFindings,
      readFindings,
      findings.map((finding) => ({ finding, follows: isFaulty(finding) })),
    );
    // Their findings are about the builds before too.
    buildFindings.add(this.#options.only ? [] : this.#soften(ofCorrections));
    const { build } = corrected;
    this.#corrected = corrected.soFar;
    for (const { key } of build.datasets) this.#served.add(key);
    return build;
  }

  async #correct(build: CompiledBuild): Promise<Outcome<CorrectedBuild>> {
    const unchanged = { value: { build, soFar: this.#corrected }, findings: [] };
    const { corrections, carried } = build.source;
    if (corrections.length === 0 && Object.keys(carried).length === 0) return unchanged;
    const { applyCorrections } = await import('../corrections/apply-corrections.ts');
    return applyCorrections(build, this.#corrected, this.#previous);
  }

  /** Adds findings; those that follow from the first known error are counted there. */
  #addCaused(buildFindings: BoundedFindings, causes: readonly Finding[], added: readonly Caused[]): void {
    const cause = causes.find(({ severity }) => severity === 'error');
    const isListed = ({ follows }: Caused) => cause === undefined || !follows;
    buildFindings.add(added.filter(isListed).map(({ finding }) => finding));
    const following = added.filter((one) => !isListed(one)).map(({ finding }) => finding);
    if (cause) this.#findings.addFollowing(cause, following);
  }

  #check(build: CompiledBuild, buildFindings: BoundedFindings): void {
    this.#steps.beginStep('checking the build', path.posix.join(build.source.folder, 'build.json'));
    this.#comparable &&= !hasErrors(buildFindings.list());
    const earlier = [...this.#readFindings.list(), ...buildFindings.list()];
    const survey = this.#changeChecker.survey(build);
    const isPartial = hasErrors(this.#readFindings.list());
    this.#addCaused(
      buildFindings,
      earlier,
      [...checkBuild(build, earlier, survey)].map(({ follows = false, ...finding }) => ({
        finding,
        // What a mapping makes of tables that were read in part is wrong because of that.
        follows: follows || (isPartial && finding.cause !== undefined),
      })),
    );
    const comparable = this.#comparable && !hasErrors(buildFindings.list());
    buildFindings.add(this.#soften(this.#changeChecker.check(build, comparable)));
    this.#whole &&= !hasErrors(buildFindings.list());
  }

  async #plan(build: CompiledBuild, key: string | undefined, buildFindings: BoundedFindings): Promise<void> {
    const { slug, title } = this.#game;
    const content = encodeBuild(slug, title, build);
    const step = diffStep(this.#previous, content, build.source.renamed);
    this.#aliases = aliasesIn(content, build.source.aliases);
    const more = { attributes: describeBuild(build), aliases: this.#aliases };
    const entry = await this.#planner.addBuild(content, build.source, step, more);
    this.#previous = content;
    if (key === undefined) return;
    const findings = await locateFindings(buildFindings.list());
    this.#memo?.remember(key, {
      entry,
      seen: this.#changeChecker.seen,
      corrected: this.#corrected,
      findings,
    });
  }

  async #compareWithRecord(plan: GamePlan): Promise<void> {
    const { folder } = this.#game;
    const { reuse, published, only, now = Number.POSITIVE_INFINITY } = this.#options;
    // A build that was left out would count as removed.
    if (only) return;
    const lock = await readBuildsLock(folder);
    const changed =
      'value' in lock
        ? await checkRecorded(folder, lock.value, plan, { published, out: reuse?.out, now })
        : lock.findings;
    this.#findings.add(this.#soften(changed));
  }

  #soften(findings: Finding[]): Finding[] {
    if (!this.#options.lenient) return findings;
    return findings.map((finding) => ({ ...finding, severity: 'warning' }));
  }
}
