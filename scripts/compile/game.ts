import path from 'node:path';
import { ChangeChecker, checkSettings } from '../changes/change-checker.ts';
import { surveyBuild } from '../changes/survey.ts';
import type { BuildCoverage } from '../check/coverage.ts';
import { checkRecorded, type Published, readBuildsLock } from '../check/recorded.ts';
import { locateFindings } from '../check/report.ts';
import { checkBuild } from '../check/rules.ts';
import type { CorrectedBuild, CorrectedSoFar } from '../corrections/apply.ts';
import { type AmendmentChanges, idOfText, textsOf } from '../diff/diff-builds.ts';
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
  type Place,
  type WithFindings,
} from '../findings.ts';
import type { BuildContent } from '../format/build-content.ts';
import { type Aliases, asOf, type BulkFormat } from '../format/dist-format.ts';
import { pointerTo } from '../format/json.ts';
import { stemOf } from '../read/formats.ts';
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
import { type CompiledBuild, compileBuild, encodeBuild, shareRecords } from './compile-build.ts';
import { describeAttributes } from './dictionary.ts';
import type { Expression } from './expression.ts';
import { compileMappings, type MappedRows, type Mapping } from './mapping.ts';
import { openMemo, type ReuseFolders } from './memo.ts';

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
function idsOf(content: BuildContent, collection: string): string[] {
  return textsOf(collection, content).map((text) => String(idOfText(text)));
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

/** Adds the datasets that read the table of a reading error; none if the roster reads it too, or if unknown. */
function withLists(finding: Finding, files: BuildFiles, mapping: Mapping | undefined): Finding {
  const lists = mapping && listsThatRead(finding.place, files, mapping);
  return lists && lists.length > 0 ? { ...finding, carry: lists } : finding;
}

function listsThatRead({ file, pointer }: Place, files: BuildFiles, mapping: Mapping): string[] {
  const { source, overlays } = files;
  const game = path.posix.dirname(source.folder);
  // A file of `from` is in the cache.
  const known = [...overlays.values()].flatMap((overlay) => [...overlay]).find(([, full]) => full === file);
  const inside = known?.[0] ?? path.posix.relative(game, file).split('/').slice(1).join('/');
  const [, named] = /\/tables\/([^/]+)$/.exec(inside === '' ? pointer : '') ?? [];
  const tables = source.definition.tables
    .filter(({ name, files }) => name === named || (inside !== '' && matchPattern(files)(inside)))
    .map(({ name }) => name);
  const isReading = (rows: Partial<MappedRows & { record: Expression; expression: Expression }>) => {
    const isRead = (each: Expression | undefined) =>
      each !== undefined && (each.tables === undefined || tables.some((name) => each.tables?.has(name)));
    // An expression over all tables can name them in other ways too, such as `items.{…}` and `$lookup($, "items")`.
    const isNamed = (name: string) => new RegExp(`\\b${name}\\b`).test(rows.expression?.parsed.text ?? '');
    return (
      tables.some(isNamed) ||
      [rows.from, ...(rows.others ?? [])].some((name) => tables.includes(name ?? '')) ||
      [rows.where, rows.entry, rows.record, rows.expression].some(isRead)
    );
  };
  const stem = stemOf(file);
  if (tables.length === 0) return inside === '' || stem === 'characters' ? [] : [stem];
  if (mapping.roster === undefined ? stem === 'characters' : isReading(mapping.roster)) return [];
  return [...mapping.datasets].flatMap(([key, rows]) => (isReading(rows) ? [key] : []));
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
  /** Whether values are counted for the coverage; by default they are. */
  coverage?: boolean;
  /** ms since 1970. A recorded build that is released later may change; without it, no recorded build may. */
  now?: number;
}

/** A game's plan, undefined after an error; its findings; and the coverage of its newest build, unless that was compiled in an earlier run. */
export type CompiledGame = WithFindings<GamePlan | undefined> & { coverage?: BuildCoverage | undefined };

/**
 * Reads, compiles and checks a game, build by build, oldest first. Writes nothing except to the cache.
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
  const { value: game, findings: ofDefinitions } = await readGame(folder, slug, options.upstream?.cache);
  const findings = new BoundedFindings();
  findings.add(ofDefinitions);
  if (game === undefined) return { value: undefined, findings: findings.list() };
  const { reuse, trust = true, only, keep = { in: 'memory' }, formats, formatsOf } = options;
  const mappings = compileMappings(game);
  findings.add(checkSettings(folder, game.checks), mappings.findings);
  const isMapped = game.usable && mappings.findings.length === 0;
  const soften = (found: Finding[]) =>
    options.lenient ? found.map((finding): Finding => ({ ...finding, severity: 'warning' })) : found;

  const memo = reuse && (await openMemo(reuse, folder, slug, trust));
  const planner = await GamePlanner.begin(game, keep, formats, formatsOf);
  const checker = new ChangeChecker();
  // The findings of reading all builds so far: a file that several builds share is read and reported once.
  const readFindings = new BoundedFindings();
  /** The upstream values in the builds so far that corrections replace. */
  let corrected: CorrectedSoFar = {};
  /** Whether there has been no error; and none in the definition, the files and the expressions, so that builds can be compared. */
  let isWhole = !hasErrors(findings.list());
  let isComparable = isWhole;
  let aliases: Aliases = {};
  /** The previous build, if this run compiled or read it. */
  let previous: BuildContent | undefined;
  /** Reads the previous build from dist/ if it was kept. @returns false if it is damaged */
  const readPrevious = async (): Promise<boolean> => {
    if (planner.newest === undefined || reuse === undefined || previous) return true;
    previous = await readBuild(reuse.out, { slug, title: game.title }, planner.newest);
    if (previous) checker.resume(checker.seen, previous);
    return previous !== undefined;
  };

  for await (const files of findBuildFiles(game, steps)) {
    const { source } = files;
    if (!isChosen(source, game, only)) {
      planner.leaveOut(source.build);
      checker.skip(source);
      previous = undefined;
      continue;
    }
    // Findings about files are not part of a key, so such a build is always compiled, and its findings are reported.
    const state = { seen: checker.seen, corrected };
    const isStored = memo !== undefined && !hasErrors(files.findings);
    const key = isStored ? memo.keyOf(game.title, files, planner.newest, state) : '';
    // Builds after a fault have not been compared with it.
    const kept = isStored && isWhole ? memo.find(key, source === game.builds.at(-1)) : undefined;
    if (kept) {
      findings.add(kept.findings);
      planner.keepBuild(kept.entry);
      checker.resume(kept.seen);
      ({ corrected } = kept);
      previous = undefined;
      continue;
    }

    const buildFindings = new BoundedFindings(findings);
    const mapping = mappings.value.get(source.definition);
    const { value: tables, findings: ofTables } = await files.read();
    const readable = leaveOutCarried(
      ofTables.map((finding) => withLists(finding, files, mapping)),
      source,
    );
    buildFindings.add(files.findings, readable);
    readFindings.add(files.findings, readable);
    // Without a mapping the build cannot be compiled, but faults in its files are reported.
    if (!isMapped || mapping === undefined) continue;
    // A build in dist/ is damaged, so all builds are compiled again.
    if (!(await readPrevious())) return await compileGame(folder, slug, { ...options, trust: false }, steps);

    const compiled = compileBuild(tables, mapping, steps);
    const correction = await correct(compiled.value, corrected, previous);
    const isFaulty = findFaults(readFindings.list(), tables);
    buildFindings.add(leaveOutCarried(compiled.findings, source).filter((finding) => !isFaulty(finding)));
    // These findings are about earlier builds too.
    if (only === undefined) buildFindings.add(soften(correction.findings));
    const { build, soFar } = correction.value;
    corrected = soFar;

    steps.beginStep('checking the build', path.posix.join(source.folder, 'build.json'));
    isComparable &&= !hasErrors(buildFindings.list());
    const earlier = [...readFindings.list(), ...buildFindings.list()];
    const isPartial = hasErrors(readFindings.list());
    const content = encodeBuild(slug, game.title, build);
    // The checks compare also with a build that has errors.
    if (isWhole) shareRecords(build, content, previous, checker.before?.lists);
    const survey = surveyBuild(build);
    for (const { follows, ...finding } of checkBuild(build, earlier, survey)) {
      // What a mapping makes of incompletely read tables is wrong for that reason.
      const isConsequence = follows || (isPartial && finding.cause !== undefined);
      if (!hasErrors(earlier) || !isConsequence) buildFindings.add([finding]);
    }
    const canCompare = isComparable && !hasErrors(buildFindings.list());
    buildFindings.add(soften(checker.check(build, canCompare, survey)));
    isWhole &&= !hasErrors(buildFindings.list());
    // A build with errors is not published, and may not be comparable.
    if (!isWhole) continue;

    const attributes = describeAttributes(build);
    const amendments = source.amended.flatMap(({ changes }) => changes ?? []);
    const changes = diffBuild(previous, content, source.renamed, {
      dictionary: attributes,
      language: game.language,
      playedIn: game.played_in,
      amendments: amendments as unknown as AmendmentChanges[],
    });
    aliases = aliasesIn(content, source.aliases);
    const entry = await planner.addBuild(content, source, changes, { attributes, aliases });
    previous = content;
    if (!isStored) continue;
    const located = await locateFindings(buildFindings.list());
    memo.remember(key, { entry, seen: checker.seen, corrected, findings: located });
  }
  await memo?.save();

  const coverage = options.coverage === false ? undefined : checker.cover(slug, aliases);
  if (isMapped && only === undefined) findings.add(soften(checker.finish()));
  // An error could be why a dataset is missing or a table is unused.
  if (!isMapped || hasErrors(findings.list()))
    return { value: undefined, findings: findings.list(), coverage };
  if (Object.keys(game.aliases).length > 0 && (await readPrevious()) && previous)
    findings.add(findUnknownAliases(game, previous));
  const value = await planner.finish((build) =>
    steps.beginStage('writing other formats of', path.posix.join(folder, build, 'build.json')),
  );
  // A build that was left out would count as removed.
  if (only === undefined) {
    findings.add(findIdleSchemas(game, value), findIdleDays(folder, value));
    const { published, now = Number.POSITIVE_INFINITY } = options;
    const lock = await readBuildsLock(folder);
    const isReadable = 'value' in lock;
    findings.add(
      soften(isReadable ? checkRecorded(folder, lock.value, value, published, now) : lock.findings),
    );
  }
  return { value, findings: findings.list(), coverage };
}

/** Finds days of the sources of collections that a build does not have. */
function findIdleDays(folder: string, { entries }: GamePlan): Finding[] {
  return entries.flatMap((entry) => {
    const file = path.posix.join(folder, entry.build, 'build.json');
    const known = Object.keys(asOf(entry));
    const idle = Object.keys(entry.as_of ?? {}).filter((key) => !known.includes(key));
    return idle.map((key) => {
      const found = `the day of "${key}", which the build does not have`;
      const place = { file, pointer: pointerTo('/as_of', key) };
      return errorAt('build-definition', place, found, `one of ${known.join(', ')}`);
    });
  });
}

/** Finds schemas of lists and objects that no build has: they would silently check nothing. */
function findIdleSchemas({ folder, schemas }: GameSource, { entries }: GamePlan): Finding[] {
  const served = new Set([
    'characters',
    ...entries.flatMap(({ datasets }) => datasets.map(({ key }) => key)),
  ]);
  const idle = [...schemas.keys()].filter((key) => !served.has(key));
  return idle.map((key) => {
    const place = { file: path.posix.join(folder, 'game.json'), pointer: pointerTo('/schemas', key) };
    const found = `a schema of "${key}", which no build has`;
    return errorAt('dataset-schema', place, found, `one of ${[...served].sort().join(', ')}`);
  });
}

/** Whether a build is one of the chosen, or one that these carry from. */
function isChosen(source: BuildSource, game: GameSource, only?: ChosenBuilds): boolean {
  const at = game.builds.indexOf(source);
  const next = game.builds[at + 1];
  if (only === undefined || only.names.includes(source.build) || at >= game.builds.length - only.newest)
    return true;
  return next !== undefined && Object.keys(next.carried).length > 0 && isChosen(next, game, only);
}

async function correct(
  build: CompiledBuild,
  soFar: CorrectedSoFar,
  previous: BuildContent | undefined,
): Promise<WithFindings<CorrectedBuild>> {
  const { corrections, carried } = build.source;
  if (corrections.length === 0 && Object.keys(carried).length === 0)
    return { value: { build, soFar }, findings: [] };
  const { applyCorrections } = await import('../corrections/apply.ts');
  return applyCorrections(build, soFar, previous);
}
