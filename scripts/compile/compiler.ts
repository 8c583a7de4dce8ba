import path from 'node:path';
import type { BuildCoverage } from '../check/coverage.ts';
import type { GamePlan } from '../dist/plan.ts';
import type { Finding, Outcome } from '../findings/findings.ts';
import type { CompileOptions } from '../game/compile-options.ts';
import { CommandError } from '../lib/command-error.ts';
import { countOf } from '../lib/count-of.ts';
import { sizeOfFolder } from '../lib/folder-size.ts';
import type { Progress } from '../lib/progress.ts';
import { DEFAULT_UPSTREAM_CACHE } from '../read/reference.ts';
import { locateFindings } from '../report/report.ts';
import type { Compiled } from './tasks.ts';
import { type Limits, type StartWorkers, startWorkers } from './workers.ts';

/** The plans of games, their findings, and what the newest builds have that were compiled. */
export type CompiledGames = Outcome<GamePlan[]> & { coverage: BuildCoverage[] };

/** Compiles games, several at once. */
export interface Compiler {
  /**
   * Compiles and checks games, after fetching what their builds name by reference. A game cannot prevent the others from being compiled:
   * if it exceeds its limits, that is a finding.
   *
   * @param data the folder of the game folders
   * @returns plans and findings (with lines) in the order of `slugs`; a game that cannot be planned has findings only
   * @throws CommandError if files cannot be written
   */
  compile(
    data: string,
    slugs: readonly string[],
    progress: Progress,
    options?: CompileOptions,
  ): Promise<CompiledGames>;
  /** Ends the workers. */
  close(): Promise<void>;
}

/**
 * Starts a compiler.
 *
 * @param jobs the maximum number of games that are compiled at once
 * @param games how many games will be compiled; for each, up to `jobs`, a worker starts immediately
 * @param start starts the workers
 */
export function startCompiler(
  jobs: number,
  limits: Limits,
  games = 1,
  start: StartWorkers = startWorkers,
): Compiler {
  const workers = start(jobs, limits, Math.min(jobs, games));
  return {
    async compile(data, slugs, progress, options = {}) {
      const { upstream = { cache: DEFAULT_UPSTREAM_CACHE, allowLocal: false }, only } = options;
      const missing = new Map<string, Finding[]>();
      const compileOnce = async (slug: string): Promise<Compiled> => {
        const folder = path.posix.join(data, slug);
        const notFetched = missing.get(slug) ?? [];
        if (notFetched.length > 0) return { value: undefined, findings: await locateFindings(notFetched) };
        const compiled = await workers.run<Compiled>(
          'compile',
          { folder, slug, options },
          folder,
          ({ doing }) => progress.step(`${slug}: ${doing}`),
        );
        if ('findings' in compiled) return { value: undefined, findings: compiled.findings };
        const { failure } = compiled.value;
        if (failure !== undefined) throw new CommandError(failure);
        if (compiled.value.value) progress.done(describePlan(compiled.value.value));
        return compiled.value;
      };
      const { provideReferences } = await import('../upstream/references/provide-references.ts');
      const provide = async (slug: string) =>
        missing.set(slug, await provideReferences(path.posix.join(data, slug), upstream, only));
      const compileOne = async (slug: string): Promise<Compiled> => {
        const compiled = await compileOnce(slug);
        const isDamaged = compiled.findings.some(({ check }) => check === 'upstream-file');
        if (!isDamaged || missing.get(slug)?.length !== 0) return compiled;
        // Reading removed the damaged copies: they are fetched again, once.
        await provide(slug);
        return await compileOnce(slug);
      };
      for (const slug of slugs) await provide(slug);
      // The largest first: otherwise one worker could still be compiling it when the others are done.
      const sizes = new Map(slugs.map((slug) => [slug, sizeOfFolder(path.join(data, slug))]));
      const largestFirst = [...sizes].sort(([, a], [, b]) => b - a).map(([slug]) => slug);
      const begun = new Map(largestFirst.map((slug) => [slug, compileOne(slug)]));
      // After a failure no worker may still be writing.
      await Promise.allSettled(begun.values());
      const outcomes = await Promise.all(slugs.flatMap((slug) => begun.get(slug) ?? []));
      return {
        value: outcomes.flatMap(({ value }) => value ?? []),
        findings: outcomes.flatMap(({ findings }) => findings),
        coverage: outcomes.flatMap(({ coverage }) => coverage ?? []),
      };
    },
    close: () => workers.close(),
  };
}

function describePlan({ slug, entries }: GamePlan): string {
  const newest = entries.at(-1);
  const parts = [
    countOf(entries.length, 'build'),
    countOf(newest?.characters.count ?? 0, 'character'),
    countOf(newest?.datasets.length ?? 0, 'dataset'),
  ];
  return `${slug}: ${parts.join(', ')}`;
}
