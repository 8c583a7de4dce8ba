import path from 'node:path';
import { Command, Option } from 'commander';
import { countFindings, renderFindings } from '../../check/report.ts';
import { addUpstreamOptions, chooseGames, type UpstreamChoice, upstreamOf } from '../../commands/options.ts';
import { type StartWorkers, startCompiler } from '../../compile/workers.ts';
import { renamesBetween } from '../../diff/compare.ts';
import { patchBuilds } from '../../diff/diff-builds.ts';
import { diffGame } from '../../diff/fold.ts';
import type { Finding } from '../../findings.ts';
import { type BuildContent, contentReader, type ReadFile } from '../../format/build-content.ts';
import type { BuildEntry, Manifest, Renames } from '../../format/dist-format.ts';
import { readGame, type UpstreamOptions } from '../../read/game.ts';
import { CommandError, createProgress, DEFAULT_LIMITS, type Limits, type Progress } from '../../system.ts';
import { countOf } from '../../text.ts';
import { renderText } from './render-diff.ts';

interface DiffOptions extends UpstreamChoice {
  format: Format;
  data: string;
}

type Format = 'text' | 'json' | 'json-patch';

const RENDERERS: Record<Format, (before: BuildContent, after: BuildContent, renamed: Renames) => string> = {
  text: (...step) => renderText(diffGame(...step)),
  json: (...step) => `${JSON.stringify(diffGame(...step), null, 2)}\n`,
  'json-patch': (before, after) => `${JSON.stringify(patchBuilds(before, after), null, 2)}\n`,
};

/** `gamedata diff`. @param start starts the worker that compiles */
export function diffCommand(start?: StartWorkers): Command {
  return addUpstreamOptions(new Command('diff'))
    .description('show the difference between two builds of a game')
    .argument('<slug>', 'the game')
    .argument('[from]', 'the earlier build (default: the second newest)')
    .argument('[to]', 'the later build (default: the newest)')
    .addOption(
      new Option('--format <format>', 'the output format').choices(Object.keys(RENDERERS)).default('text'),
    )
    .option('--data <folder>', 'the folder with the game folders', 'data')
    .addHelpText(
      'after',
      `
The format json is that of the gateway's /api/{game}/diff. The format json-patch (RFC 6902) turns the snapshot of <from> into that of <to>.

Exit code: 0 done, 1 errors were found in the data, 2 wrong usage.

Examples:
  gamedata diff arknights                                      what the newest build changed
  gamedata diff arknights 2020-07-15 2020-07-29                the difference between two builds`,
    )
    .action((slug: string, from: string | undefined, to: string | undefined, options: DiffOptions) =>
      diff(slug, from, to, options, start),
    );
}

async function diff(
  slug: string,
  from: string | undefined,
  to: string | undefined,
  { format, data, ...choice }: DiffOptions,
  start?: StartWorkers,
): Promise<void> {
  await chooseGames([slug], data);
  const names = [from, to].filter((name) => name !== undefined);
  const progress = createProgress(process.stderr);
  const how = { only: { names, newest: 2 - names.length }, progress, upstream: upstreamOf(choice), start };
  const { builds, findings } = await compileBuilds(data, slug, how);
  const folder = path.posix.join(data, slug);
  if (findings.length > 0) process.stderr.write(`${renderFindings(findings)}\n`);
  const { errors } = countFindings(findings);
  if (errors > 0 || builds === undefined)
    throw new CommandError(`${countOf(errors, 'error')} found in ${folder}/, which cannot be compared`);
  const entries = builds.manifest.builds;
  const choose = (name: string | undefined, at: number): BuildEntry => {
    const entry = name === undefined ? entries.at(at) : entries.find(({ build }) => build === name);
    if (entry) return entry;
    const missing = name === undefined ? 'no build to compare with' : `no build ${name}`;
    throw new CommandError(`${missing} in ${folder}; it has ${builds.names.join(', ')}`, 2);
  };
  const [before, after] = [choose(from, -2), choose(to, -1)];
  const renamed = await findRenames(folder, before.build, after.build);
  process.stdout.write(RENDERERS[format](await builds.read(before), await builds.read(after), renamed));
}

/** The builds of a game. */
export interface Builds {
  manifest: Manifest;
  /** The names of all builds, oldest first. */
  names: string[];
  read: (entry: BuildEntry) => Promise<BuildContent>;
}

/** How builds are compiled for reading. */
interface CompileBuilds {
  /** Some builds by name, and the number of newest ones; absent for all. */
  only?: { names: string[]; newest: number } | undefined;
  progress: Progress;
  upstream: UpstreamOptions;
  limits?: Limits;
  start?: StartWorkers | undefined;
}

/**
 * Compiles some builds of a game. Findings of checks are only warnings, so that a build that they hold back can be read.
 *
 * @returns no builds after an error
 */
export async function compileBuilds(
  data: string,
  slug: string,
  { only, progress, upstream, limits = DEFAULT_LIMITS, start }: CompileBuilds,
): Promise<{ builds: Builds | undefined; findings: Finding[] }> {
  const compiler = startCompiler(1, limits, 1, start);
  const options = { lenient: true, ...(only && { only }), upstream };
  const compiling = compiler.compile(data, [slug], { ...progress, done() {} }, options);
  const { value, findings } = await compiling.finally(() => compiler.close());
  progress.clear();
  const [plan] = value;
  if (plan === undefined) return { builds: undefined, findings };
  const readFile: ReadFile = async ({ file }) => Buffer.from(plan.files.get(file) as Uint8Array);
  const manifest: Manifest = JSON.parse((await readFile(plan.manifest)).toString());
  return { builds: { manifest, names: plan.builds, read: contentReader(manifest, readFile) }, findings };
}

/** Returns the records of a build whose ids are different in a later one; none if data/ no longer has the earlier build. */
export async function findRenames(folder: string, from: string, to: string): Promise<Renames> {
  const { value: game } = await readGame(folder, path.posix.basename(folder));
  const builds = game?.builds ?? [];
  const [before, after] = [from, to].map((name) => builds.find(({ build }) => build === name));
  return before && after ? renamesBetween(builds, before, after) : {};
}
