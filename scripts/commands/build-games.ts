import { once } from 'node:events';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { renderCoverage } from '../check/coverage.ts';
import { readPublishedFolder, recordGames } from '../check/recorded.ts';
import { renderFindings } from '../check/report.ts';
import type { Printed } from '../compile/memo.ts';
import { type Compiler, startCompiler } from '../compile/workers.ts';
import { withDistLock, noteUnrecorded } from '../dist/lock.ts';
import { type GamePlan, planIndex } from '../dist/plan.ts';
import { readIndex } from '../dist/read-dist.ts';
import { type StagePlace, withStage } from '../dist/stage.ts';
import { type Written, writeDist } from '../dist/write-dist.ts';
import type { Finding } from '../findings.ts';
import type { Index } from '../format/dist-format.ts';
import { CommandError, createProgress } from '../system.ts';
import { countOf, megabytes } from '../text.ts';
import { type BuildOptions, chooseGames, limitsOf, summariseBuild, upstreamOf } from './options.ts';

/** Whether a finding is about the machine, the installation or upstream, such as a full disk or a network failure, rather than about the data. */
export function isOfSystem({ check }: Finding): boolean {
  return ['system-limit', 'upstream-file'].includes(check);
}

/** How long a change waits for further ones: editors save in several steps. */
const DEBOUNCE_MS = 40;

/** Builds games, and again whenever they change, until a signal ends the process. Changes during a build are handled after it. */
export async function watchAndBuild(slugs: string[], options: BuildOptions): Promise<void> {
  const { data, out, jobs } = options;
  const { watch } = await import('chokidar');
  const compiler = startCompiler(jobs, limitsOf(options));
  const watcher = watch(data, { ignoreInitial: true, followSymlinks: false });
  await once(watcher, 'ready');
  const build = async (games: string[], keepOthers: boolean) => {
    const work = async () => void (await buildGames(compiler, games, keepOthers, options));
    await withDistLock(out, work).catch((error: unknown) => {
      if (!(error instanceof CommandError)) throw error;
      process.stderr.write(`gamedata: ${error.message}\n`);
    });
  };
  const buildAll = async () => await build(await chooseGames(slugs, data), slugs.length > 0);
  let working = Promise.resolve();
  const failed = new Promise<never>((_, reject) => watcher.on('error', reject));
  const next = (work: () => Promise<void>) => {
    working = working.then(work);
    working.catch((error) => watcher.emit('error', error));
  };
  const changed = new Set<string>();
  const rebuild = async () => {
    const games = [...changed];
    changed.clear();
    const isWhole = games.every((slug) => existsSync(path.join(data, slug)));
    await (isWhole ? build(games, true) : buildAll());
  };
  let timer: NodeJS.Timeout | undefined;
  watcher.on('all', (event, file) => {
    const [slug, ...below] = path.relative(data, file).split(path.sep);
    if (!slug || slug.startsWith('.') || (slugs.length > 0 && !slugs.includes(slug))) return;
    if (below.at(-1)?.startsWith('.') || (below.length === 0 && !event.endsWith('Dir'))) return;
    changed.add(slug);
    clearTimeout(timer);
    timer = setTimeout(() => next(rebuild), DEBOUNCE_MS);
  });
  const ended = Promise.race(['SIGINT', 'SIGTERM'].map((signal) => once(process, signal)));
  next(buildAll);
  next(async () => void process.stdout.write(`watching ${data}/; end with Ctrl-C\n`));
  try {
    await Promise.race([ended, failed]);
    clearTimeout(timer);
    await working;
  } finally {
    await watcher.close();
    await compiler.close();
  }
}

/** Builds games. @param keepOthers whether games that are not built stay in the index */
export async function buildGames(
  compiler: Compiler,
  slugs: string[],
  keepOthers: boolean,
  options: BuildOptions,
): Promise<Printed> {
  const build = (stage: StagePlace) => buildInStage(stage, compiler, slugs, keepOthers, options);
  return await withStage(options.out, build);
}

async function buildInStage(
  stage: StagePlace,
  compiler: Compiler,
  slugs: string[],
  keepOthers: boolean,
  { data, out, cache, watch, amend, formats, formatsOf, ...options }: BuildOptions,
): Promise<Printed> {
  const started = performance.now();
  const progress = createProgress(process.stderr);
  const reuse = cache === false ? undefined : { out, cache };
  const published = await readPublishedFolder(out);
  const compile = () =>
    compiler.compile(data, slugs, progress, {
      keep: { in: 'stage', place: stage },
      reuse,
      upstream: upstreamOf(options),
      published,
      formats,
      formatsOf,
      coverage: options.coverage !== 'none',
      now: Date.now(),
    });
  let { value: plans, findings, coverage } = await compile();
  let unknown: string[] | undefined;
  if (amend !== undefined) {
    const { amendBuilds } = await import('../corrections/amend.ts');
    unknown = await amendBuilds({ data, out, published }, plans, findings, amend, Date.now());
  }
  if (unknown !== undefined) {
    ({ value: plans, findings } = await compile());
    findings = findings.filter(({ check }) => check !== 'recorded-build');
  }
  if (watch) findings = findings.map(soften);
  progress.clear();
  for (const line of unknown ?? []) process.stderr.write(`note: ${line}\n`);
  const warnings = findings.length > 0 ? `${renderFindings(findings)}\n` : '';
  if (warnings !== '') process.stderr.write(warnings);
  const errors = findings.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) {
    const message = `${countOf(errors.length, 'error')} found; nothing was written to ${out}/`;
    throw new CommandError(message, 1, errors.some(isOfSystem) ? undefined : 'data');
  }

  const present = await readPresent(out, keepOthers);
  const others = keepOthers ? (present?.games ?? []).filter(({ slug }) => !slugs.includes(slug)) : [];
  const unrecorded = watch ? slugs : plans.filter(({ draft }) => draft).map(({ slug }) => slug);
  // Before the index: without the mark, gamedata publish takes what it names as recorded.
  await noteUnrecorded(out, unrecorded, true);
  const written = await writeDist(out, plans, planIndex(plans, others), present);
  if (!watch)
    await recordGames(
      { data, out },
      plans.filter(({ draft }) => !draft),
    );
  process.stdout.write(renderCoverage(coverage, options.coverage));
  const totals = describeTotals(plans, written);
  process.stdout.write(summariseBuild(totals, written.newBytes, started));
  return { warnings, totals };
}

/** While watching, a recorded build may change: a maintainer is trying out a mapping, and nothing is recorded. */
function soften(finding: Finding): Finding {
  return finding.check === 'recorded-build' ? { ...finding, severity: 'warning' } : finding;
}

/** Reads the current index. An unreadable one is an error only if it must keep games. */
async function readPresent(out: string, keepOthers: boolean): Promise<Index | undefined> {
  return await readIndex(out).catch((error: unknown) => {
    if (!keepOthers && error instanceof CommandError) return undefined;
    throw error instanceof CommandError
      ? new CommandError(`${error.message}, so its other games cannot be kept: build all games at once`)
      : error;
  });
}

function describeTotals(plans: GamePlan[], { bytes }: Written): string {
  const newest = plans.flatMap(({ entries }) => entries.slice(-1));
  const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
  const parts = [
    countOf(plans.length, 'game'),
    countOf(sum(plans.map(({ entries }) => entries.length)), 'build'),
    countOf(sum(newest.map(({ characters }) => characters.count)), 'character'),
    countOf(sum(newest.map(({ datasets }) => datasets.length)), 'dataset'),
    megabytes(bytes),
  ];
  return parts.join(', ');
}
