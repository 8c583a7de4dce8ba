import path from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { CommandError } from '../command-error.ts';
import { countOf, megabytes } from '../count-of.ts';
import type { Index } from '../dist-format.ts';
import { withDistLock } from '../dist-lock.ts';
import type { Finding } from '../findings.ts';
import { type GamePlan, planIndex } from '../plan.ts';
import { createProgress } from '../progress.ts';
import { readIndex } from '../read-dist.ts';
import { amendBuilds, recordGames } from '../recorded/record.ts';
import { countFindings, renderFindings } from '../report.ts';
import { orCommandError } from '../system-error.ts';
import { type Compiler, startCompiler } from '../workers/compiler.ts';
import { type Written, writeDist } from '../write-dist.ts';
import { type CompileOptions, chooseGames, limitsOf, takeGames } from './games.ts';
import { watchGames } from './watch-games.ts';

interface BuildOptions extends CompileOptions {
  out: string;
  cache: string | false;
  watch: boolean;
  amend?: string;
}

/** `gamedata build`. */
export function buildCommand(): Command {
  return takeGames(new Command('build'))
    .description('compile raw game data into dist/')
    .option('--out <folder>', 'where the compiled files go', 'dist')
    .option('--cache <folder>', 'where it is remembered what builds were compiled from', 'var/cache')
    .option('--no-cache', 'compile every build, also those that are as they were')
    .option('--watch', 'build again what changes, until you end it')
    .option('--amend <reason>', 'record that released builds are corrected, and why', reason)
    .addHelpText(
      'after',
      `
What is built is recorded in its game's builds.lock.json. From a build's recorded release on, one that would change is an error: undo
the change, or say with --amend why it is a correction. With --watch it is a warning, and nothing is recorded.

Exit code: 0 done, 1 errors were found and nothing was written, 2 wrong usage.

Examples:
  gamedata build                          compile every game in data/ into dist/
  gamedata build arknights --out /srv/d   compile one; the others in /srv/d stay as they are
  gamedata build --watch                  while you work on a mapping, beside a running gateway
  gamedata build --amend "hp of 2 units"  correct builds that are released already`,
    )
    .action(build);
}

async function build(slugs: string[], options: BuildOptions): Promise<void> {
  const { data, out, jobs, watch, amend } = options;
  const chosen = await chooseGames(slugs, data);
  refuseOutInData(out, data);
  if (watch && amend !== undefined) throw new CommandError('--amend is for one build, not for --watch', 2);
  const compiler = startCompiler(jobs, limitsOf(options));
  const run = (games: string[], keepOthers: boolean) =>
    orCommandError(
      withDistLock(out, () => buildGames(compiler, games, keepOthers, options)),
      (reason) => `${out}/ cannot be written: ${reason}; its index is as it was`,
    );
  try {
    if (!watch) {
      await run(chosen, slugs.length > 0);
      return;
    }
    const begin = async () => {
      await tellFailure(run(chosen, slugs.length > 0));
      process.stdout.write(`watching ${data}/; end with Ctrl-C\n`);
    };
    await watchGames(data, slugs, begin, async (changed) => {
      const games = changed ?? (await chooseGames(slugs, data));
      await tellFailure(run(games, changed !== undefined || slugs.length > 0));
    });
  } finally {
    await compiler.close();
  }
}

/** While watching, the next change is waited for whatever came of this one. */
async function tellFailure(work: Promise<void>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!(error instanceof CommandError)) throw error;
    process.stderr.write(`gamedata: ${error.message}\n`);
  });
}

/** @param keepOthers whether the games of the present index that are not built stay in it */
async function buildGames(
  compiler: Compiler,
  slugs: string[],
  keepOthers: boolean,
  { data, out, cache, watch, amend }: BuildOptions,
): Promise<void> {
  const started = performance.now();
  const progress = createProgress(process.stderr);
  const reuse = cache === false ? undefined : { out, cache };
  const compile = () => compiler.compile(data, slugs, progress, { reuse, now: Date.now() });
  let { value: plans, findings } = await compile();
  if (amend !== undefined && (await amendBuilds(findings, amend, Date.now()))) {
    ({ value: plans, findings } = await compile());
    findings = findings.filter(({ check }) => check !== 'recorded-build');
  }
  if (watch) findings = findings.map(soften);
  progress.clear();
  if (findings.length > 0) process.stderr.write(`${renderFindings(findings)}\n`);
  const { errors } = countFindings(findings);
  if (errors > 0) {
    throw new CommandError(`${countOf(errors, 'error')} found; nothing was written, ${out}/ is as it was`);
  }

  const present = await readPresent(out, keepOthers);
  const kept = keepOthers ? (present?.games ?? []).filter(({ slug }) => !slugs.includes(slug)) : [];
  const written = await writeDist(out, plans, planIndex(plans, kept), present);
  if (!watch) await recordGames(data, plans);
  process.stdout.write(`${summarise(plans, written, (performance.now() - started) / 1000)}\n`);
}

/** While a mapping is worked on, what was recorded may change in the dist/ at hand; it is not recorded by that. */
function soften(finding: Finding): Finding {
  return finding.check === 'recorded-build' ? { ...finding, severity: 'warning' } : finding;
}

/** What is written into the data folder would be taken for a game, or for a build's file, the next time. */
function refuseOutInData(out: string, data: string): void {
  const inside = !path.relative(data, out).startsWith('..');
  if (inside)
    throw new CommandError(`--out ${out} lies in the data folder ${data}: name a folder outside it`, 2);
}

/** The present index; one that cannot be read matters only where some of its games are to be kept. */
async function readPresent(out: string, keepOthers: boolean): Promise<Index | undefined> {
  return await readIndex(out).catch((error: unknown) => {
    if (!keepOthers && error instanceof CommandError) return undefined;
    throw error instanceof CommandError
      ? new CommandError(`${error.message}, so its other games cannot be kept: build all games at once`)
      : error;
  });
}

function summarise(plans: GamePlan[], { bytes, newBytes }: Written, seconds: number): string {
  const sum = (of: (plan: GamePlan) => number) => plans.reduce((total, plan) => total + of(plan), 0);
  const parts = [
    countOf(plans.length, 'game'),
    countOf(
      sum(({ entries }) => entries.length),
      'build',
    ),
    countOf(
      sum(({ entries }) => entries.at(-1)?.characters.count ?? 0),
      'character',
    ),
    countOf(
      sum(({ entries }) => entries.at(-1)?.datasets.length ?? 0),
      'dataset',
    ),
    `${megabytes(bytes)} (${megabytes(newBytes)} new)`,
  ];
  return `${parts.join(', ')} in ${seconds.toFixed(1)} s`;
}

function reason(text: string): string {
  if (text.trim() !== '' && text.length <= 2000) return text;
  throw new InvalidArgumentError('expected the reason, as the history is to show it.');
}
