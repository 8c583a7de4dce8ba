import path from 'node:path';
import { ChangeChecker, checkGame, checkSettings } from '../changes/change-checker.ts';
import { surveyBuild } from '../changes/survey.ts';
import type { BuildCoverage } from '../check/coverage.ts';
import { checkRecorded, type Published, readBuildsLock } from '../check/recorded.ts';
import { locateFindings } from '../check/report.ts';
import { checkBuild } from '../check/rules.ts';
import type { CorrectedBuild, CorrectedSoFar } from '../corrections/apply.ts';
import { UNTIL_AGREED } from '../corrections/corrections.ts';
import type { AmendmentChanges } from '../diff/diff-builds.ts';
import { diffBuild } from '../diff/history.ts';
import { type GamePlan, GamePlanner } from '../dist/plan.ts';
import { readBuild } from '../dist/read-dist.ts';
import type { Keeping } from '../dist/stage.ts';
import {
  BoundedFindings,
  errorAt,
  type Finding,
  hasErrors,
  NO_REPORTER,
  type StepReporter,
  type WithFindings,
} from '../findings.ts';
import type { BuildContent } from '../format/build-content.ts';
import { type Aliases, type BulkFormat, parseRecord } from '../format/dist-format.ts';
import { pointerTo } from '../format/json.ts';
import {
  ALIASES_FILE,
  type BuildSource,
  type GameSource,
  readGame,
  type UpstreamOptions,
} from '../read/game.ts';
import { matchPattern } from '../read/patterns.ts';
import { type BuildFiles, type BuildTables, findBuildFiles } from '../read/tables.ts';
import { findNearest } from '../text.ts';
import { type CompiledBuild, compileBuild, encodeBuild } from './compile-build.ts';
import { describeBuild } from './dictionary.ts';
import type { Expression } from './expression.ts';
import { compileMappings, type MappedRows, type Mapping, type Mappings } from './mapping.ts';
import { FileMemo, type ReuseFolders } from './memo.ts';

/** Returns the aliases of records that a build has: no file of a build may name a record of a later one. */
export function aliasesIn(content: BuildContent, aliases: Aliases): Aliases {
  const present = Object.entries(aliases).map(([collection, byId]) => {
    const ids = new Set(idsOf(content, collection));
    return [collection, Object.fromEntries(Object.entries(byId).filter(([id]) => ids.has(id)))] as const;
  });
  return Object.fromEntries(present.filter(([, byId]) => Object.keys(byId).length > 0));
}

/** Finds aliases of records that the newest build does not have. */
export function findUnknownAliases({ folder, aliases }: GameSource, newest: BuildContent): Finding[] {
  const file = path.posix.join(folder, ALIASES_FILE);
  return Object.entries(aliases).flatMap(([collection, byId]) => {
    const ids = idsOf(newest, collection);
    const present = new Set(ids);
    const unknown = Object.keys(byId).filter((id) => !present.has(id));
    return unknown.map((id): Finding => {
      const near = findNearest(id, ids);
      const place = { file, pointer: pointerTo('', collection, id) };
      const found = `aliases of "${id}" in ${collection}, which ${newest.build} does not have`;
      const fix = near && `did you mean "${near}"? Otherwise remove it`;
      const expected = 'the id of a record of the newest build';
      return { ...errorAt('aliases', place, found, expected, fix), severity: 'warning' };
    });
  });
}

/** The ids of a collection's records; none if the build lacks it. */
function idsOf({ characters, datasets }: BuildContent, collection: string): string[] {
  const dataset = datasets.get(collection);
  const records = collection === 'characters' ? characters : dataset?.kind === 'list' ? dataset.records : [];
  return records.map((text) => String(parseRecord(text).id));
}

/** Returns a function that returns whether a finding is caused by a row or table that could not be read. */
function findFaults(
  readFindings: readonly Finding[],
  { source, tables }: BuildTables,
): (finding: Finding) => boolean {
  const errors = readFindings.filter(({ severity }) => severity === 'error');
  if (errors.length === 0) return () => false;
  const rows = new Set(errors.map(({ place }) => JSON.stringify([place.file, place.pointer])));
  const unread = source.definition.tables.flatMap(({ name, optional }) =>
    optional || tables.has(name) ? [] : [name],
  );
  return ({ place, tables: read = [] }) =>
    rows.has(JSON.stringify([place.file, place.pointer])) || unread.some((name) => read.includes(name));
}

/** Leaves out the findings about datasets that the build takes from an earlier one. */
function leaveOutCarried(findings: Finding[], { carried }: BuildSource): Finding[] {
  return findings.filter(({ carry }) => !carry?.every((key) => Object.hasOwn(carried, key)));
}

/** The datasets that read the table of a reading error; undefined if the roster reads it too, or if unknown. */
function listsThatRead(finding: Finding, source: BuildSource, mapping: Mapping): string[] | undefined {
  const { file, pointer } = finding.place;
  const game = path.posix.dirname(source.folder);
  const inside = path.posix.relative(game, file).split('/').slice(1).join('/');
  const [, named] = /\/tables\/([^/]+)$/.exec(inside === '' ? pointer : '') ?? [];
  const tables = source.definition.tables
    .filter(({ name, files }) => name === named || (inside !== '' && matchPattern(files)(inside)))
    .map(({ name }) => name);
  const isReading = (rows: Partial<MappedRows & { record: Expression; expression: Expression }>) => {
    const isRead = (each: Expression | undefined) =>
      each !== undefined && (each.tables === undefined || tables.some((name) => each.tables?.has(name)));
    return (
      [rows.from, ...(rows.others ?? [])].some((name) => tables.includes(name ?? '')) ||
      [rows.where, rows.entry, rows.record, rows.expression].some(isRead)
    );
  };
  const stem = path.posix.parse(file).name;
  if (tables.length === 0) return inside === '' || stem === 'characters' ? undefined : [stem];
  if (mapping.roster === undefined ? stem === 'characters' : isReading(mapping.roster)) return undefined;
  const lists = [...mapping.datasets].flatMap(([key, rows]) => (isReading(rows) ? [key] : []));
  return lists.length > 0 ? lists : undefined;
}

/**
 * Finds schemas of lists and objects that no build has: they would silently check nothing.
 *
 * @param served the keys of all lists and objects in any build
 */
function findIdleSchemas({ folder, schemas }: GameSource, served: ReadonlySet<string>): Finding[] {
  return [...schemas.keys()]
    .filter((key) => !served.has(key))
    .map((key) => {
      const place = { file: path.posix.join(folder, 'game.json'), pointer: pointerTo('/schemas', key) };
      const found = `a schema of "${key}", which no build has`;
      return errorAt('dataset-schema', place, found, `one of ${[...served].sort().join(', ')}`);
    });
}

/** Selects builds of a game: some by name, and the newest ones. */
interface ChosenBuilds {
  names: readonly string[];
  /** The number of newest builds. */
  newest: number;
}

export interface CompileOptions {
  /** The folders with earlier results; without them, all builds are compiled. */
  reuse?: ReuseFolders | undefined;
  /** Whether earlier results may be used. New results are stored in any case. */
  trust?: boolean;
  /** Whether findings of checks and about recorded builds are only warnings, for commands that only read. Cannot be combined with `reuse`. */
  lenient?: boolean;
  /** The builds to compile; by default all. Checks that need the other builds are skipped. Cannot be combined with `reuse`. */
  only?: ChosenBuilds;
  /** Where the files are kept; by default in memory, in the plan. */
  keep?: Keeping;
  /** The formats besides JSON in which builds are written; none by default. */
  formats?: readonly BulkFormat[];
  /** How many of the newest builds are written in these formats; all by default. */
  formatsOf?: number | undefined;
  /** The published builds: released ones may not change, even if builds.lock.json lacks them. */
  published?: Published;
  /** How files that builds reference upstream are downloaded, and where their copies are kept. */
  upstream?: UpstreamOptions;
  /** ms since 1970. A recorded build that is released later may change; without it, no recorded build may. */
  now?: number;
}

/** Optional parts of a compilation. */
interface Tools {
  memo: FileMemo | undefined;
  planner: GamePlanner;
}

/** Makes the plan of a game, build by build, oldest first. */
class GameCompilation {
  readonly #game: GameSource;
  readonly #findings: BoundedFindings;
  readonly #options: CompileOptions;
  readonly #steps: StepReporter;
  readonly #mappings: Mappings;
  /** Whether the definitions have no errors, so that builds can be compiled. */
  readonly #mapped: boolean;
  readonly #memo: FileMemo | undefined;

  readonly #planner: GamePlanner;
  readonly #changeChecker = new ChangeChecker();
  /** The findings of reading all builds so far: a file that several builds share is read and reported once. */
  readonly #readFindings = new BoundedFindings();
  /** The keys of all lists and objects in the builds so far. */
  readonly #served = new Set(['characters']);
  /** The upstream values in the builds so far that corrections replace. */
  #corrected: CorrectedSoFar = {};
  /** Whether there has been no error. */
  #whole: boolean;
  /** Whether there has been no error in the definition, the files and the expressions, so that builds can be compared. */
  #comparable: boolean;
  /** The aliases of the newest compiled build. */
  #aliases: Aliases = {};
  /** The previous build, if this run compiled or read it. */
  #previous: BuildContent | undefined;

  private constructor(
    game: GameSource,
    findings: BoundedFindings,
    options: CompileOptions,
    steps: StepReporter,
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
    this.#whole = !hasErrors(findings.list());
    this.#comparable = this.#whole;
  }

  /**
   * Reads a game's definition and begins.
   *
   * @param findings those of the definition; all others are added to them
   */
  static async begin(
    game: GameSource,
    findings: BoundedFindings,
    options: CompileOptions,
    steps: StepReporter,
  ): Promise<GameCompilation> {
    const { reuse, trust = true, keep = { in: 'memory' }, formats, formatsOf } = options;
    const memo = reuse && (await FileMemo.open(reuse, game.folder, game.slug, trust));
    const planner = await GamePlanner.begin(game, keep, formats, formatsOf);
    return new GameCompilation(game, findings, options, steps, { memo, planner });
  }

  /**
   * Adds all builds of the game to the plan. Unchanged builds are kept, the others compiled.
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
      // Builds after a fault have not been compared with it.
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
    // Whether such a correction still applies depends on all earlier builds.
    return corrections.some(({ until }) => until === UNTIL_AGREED);
  }

  #leaveOut(source: BuildSource): void {
    this.#planner.leaveOut(source.build);
    this.#changeChecker.skip(source);
    this.#previous = undefined;
  }

  /** The coverage of the newest build; undefined if it was not compiled. */
  get coverage(): BuildCoverage | undefined {
    return this.#changeChecker.cover(this.#game.slug, this.#aliases);
  }

  /** @returns the plan of all builds; undefined after an error */
  async finish(): Promise<GamePlan | undefined> {
    const isAll = this.#options.only === undefined;
    if (this.#mapped && isAll) this.#findings.add(this.#soften(this.#changeChecker.finish()));
    // Only without errors: an error could be why a dataset is missing or a table is unused.
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

  /** Returns the key of a build in the memo; undefined if the build must not be stored there. */
  #keyOf(files: BuildFiles): string | undefined {
    // Findings about files are not part of a key, so such a build is always compiled, and its findings are reported.
    if (hasErrors(files.findings)) return undefined;
    const state = { seen: this.#changeChecker.seen, corrected: this.#corrected };
    return this.#memo?.keyOf(this.#game.title, files, this.#planner.newest, state);
  }

  /** Adds a build without compiling it. @returns false if it must be compiled */
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
    // Without a mapping the build cannot be compiled, but faults in its files are reported.
    if (!this.#mapped || mapping === undefined) return true;
    if (!(await this.#readPrevious())) return false;
    const build = await this.#compile(tables, mapping, buildFindings);
    this.#check(build, buildFindings);
    // A build with errors is not published, and may not be comparable.
    if (this.#whole) await this.#plan(build, key, buildFindings);
    return true;
  }

  async #read(files: BuildFiles, buildFindings: BoundedFindings): Promise<BuildTables> {
    const { value: tables, findings } = await files.read();
    const { source } = files;
    const mapping = this.#mappings.get(source.definition);
    const found = findings.map((finding) => {
      const carry = mapping && listsThatRead(finding, source, mapping);
      return carry ? { ...finding, carry } : finding;
    });
    const left = leaveOutCarried(found, source);
    buildFindings.add(files.findings, left);
    this.#readFindings.add(files.findings, left);
    return tables;
  }

  /** Reads the previous build from dist/ if it was kept. @returns false if it is damaged */
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
    const { value: compiled, findings } = compileBuild(tables, mapping, this.#steps);
    const { value: corrected, findings: ofCorrections } = await this.#correct(compiled);
    const readFindings = this.#readFindings.list();
    const isFaulty = findFaults(readFindings, tables);
    const left = leaveOutCarried(findings, compiled.source);
    buildFindings.add(left.filter((finding) => !isFaulty(finding)));
    // These findings are about earlier builds too.
    buildFindings.add(this.#options.only ? [] : this.#soften(ofCorrections));
    const { build } = corrected;
    this.#corrected = corrected.soFar;
    for (const { key } of build.datasets) this.#served.add(key);
    return build;
  }

  async #correct(build: CompiledBuild): Promise<WithFindings<CorrectedBuild>> {
    const unchanged = { value: { build, soFar: this.#corrected }, findings: [] };
    const { corrections, carried } = build.source;
    if (corrections.length === 0 && Object.keys(carried).length === 0) return unchanged;
    const { applyCorrections } = await import('../corrections/apply.ts');
    return applyCorrections(build, this.#corrected, this.#previous);
  }

  #check(build: CompiledBuild, buildFindings: BoundedFindings): void {
    this.#steps.beginStep('checking the build', path.posix.join(build.source.folder, 'build.json'));
    this.#comparable &&= !hasErrors(buildFindings.list());
    const earlier = [...this.#readFindings.list(), ...buildFindings.list()];
    const survey = surveyBuild(build);
    const isPartial = hasErrors(this.#readFindings.list());
    const isCaused = hasErrors(earlier);
    for (const { follows, ...finding } of checkBuild(build, earlier, survey)) {
      // What a mapping makes of incompletely read tables is wrong for that reason.
      const isConsequence = follows || (isPartial && finding.cause !== undefined);
      if (!isCaused || !isConsequence) buildFindings.add([finding]);
    }
    const comparable = this.#comparable && !hasErrors(buildFindings.list());
    buildFindings.add(this.#soften(this.#changeChecker.check(build, comparable, survey)));
    this.#whole &&= !hasErrors(buildFindings.list());
  }

  async #plan(build: CompiledBuild, key: string | undefined, buildFindings: BoundedFindings): Promise<void> {
    const { slug, title } = this.#game;
    const content = encodeBuild(slug, title, build);
    const attributes = describeBuild(build);
    const amendments = build.source.amended.flatMap(({ changes }) => changes ?? []);
    const step = diffBuild(this.#previous, content, build.source.renamed, {
      ...{ dictionary: attributes, language: this.#game.language, playedIn: this.#game.played_in },
      amendments: amendments as unknown as AmendmentChanges[],
    });
    this.#aliases = aliasesIn(content, build.source.aliases);
    const more = { attributes, aliases: this.#aliases };
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

/** A game's plan, undefined after an error; its findings; and the coverage of its newest build, unless that was compiled in an earlier run. */
export type CompiledGame = WithFindings<GamePlan | undefined> & { coverage?: BuildCoverage | undefined };

/**
 * Reads, compiles and checks a game. Writes nothing except to the cache.
 *
 * @param folder the game's folder
 * @param steps receives each stage and step when it begins
 */
export async function compileGame(
  folder: string,
  slug: string,
  options: CompileOptions = {},
  steps = NO_REPORTER,
): Promise<CompiledGame> {
  steps.beginStage('reading the definitions', path.posix.join(folder, 'game.json'));
  const { value: game, findings: definitionFindings } = await readGame(folder, slug, options.upstream?.cache);
  const findings = new BoundedFindings();
  findings.add(definitionFindings);
  if (game === undefined) return { value: undefined, findings: findings.list() };
  const compilation = await GameCompilation.begin(game, findings, options, steps);
  // A build in dist/ is damaged, so all builds are compiled again.
  if (!(await compilation.addBuilds()))
    return await compileGame(folder, slug, { ...options, trust: false }, steps);
  const plan = await compilation.finish();
  return { value: plan, findings: findings.list(), coverage: compilation.coverage };
}
