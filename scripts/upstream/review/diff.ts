import path from 'node:path';
import { Command, Option } from 'commander';
import { countFindings, renderFindings } from '../../check/report.ts';
import { addUpstreamOptions, chooseGames, type UpstreamChoice, upstreamOf } from '../../commands/options.ts';
import { type StartWorkers, startCompiler } from '../../compile/workers.ts';
import { renamesBetween } from '../../diff/compare.ts';
import { patchBuilds } from '../../diff/diff-builds.ts';
import { diffGame } from '../../diff/fold.ts';
import { damagedFile, distReader, readIndex, readManifest } from '../../dist/read-dist.ts';
import type { Finding } from '../../findings.ts';
import { type BuildContent, contentReader, type ReadFile } from '../../format/build-content.ts';
import { type BuildEntry, INDEX_FILE, type Manifest, type Renames } from '../../format/dist-format.ts';
import { readGame, type UpstreamOptions } from '../../read/game.ts';
import { CommandError, createProgress, DEFAULT_LIMITS, type Limits, type Progress } from '../../system.ts';
import { countOf } from '../../text.ts';
import { renderMarkdown, renderText } from './render-diff.ts';

interface DiffOptions extends UpstreamChoice {
  format: Format;
  data: string;
  against?: 'dist';
  out: string;
}

type Format = 'text' | 'json' | 'json-patch' | 'markdown';

const RENDERERS: Record<Format, (before: BuildContent, after: BuildContent, renamed: Renames) => string> = {
  text: (...step) => renderText(diffGame(...step)),
  json: (...step) => `${JSON.stringify(diffGame(...step), null, 2)}\n`,
  'json-patch': (before, after) => `${JSON.stringify(patchBuilds(before, after), null, 2)}\n`,
  markdown: (...step) => renderMarkdown(diffGame(...step)),
};

/** `gamedata diff`. @param start starts the worker that compiles */
export function diffCommand(start?: StartWorkers): Command {
  return addUpstreamOptions(new Command('diff'))
    .description('show the difference between two builds of a game')
    .argument('<slug>', 'the game')
    .argument('[from]', 'the earlier build (default: the second newest; with --against, the newest in dist/)')
    .argument('[to]', 'the later build (default: the newest; with --against, <from> if given)')
    .addOption(
      new Option('--format <format>', 'the output format').choices(Object.keys(RENDERERS)).default('text'),
    )
    .option('--data <folder>', 'the folder with the game folders', 'data')
    .addOption(new Option('--against <what>', 'compare <from> in dist/ with <to> in data/').choices(['dist']))
    .option('--out <folder>', 'the folder with the compiled files, for --against dist', 'dist')
    .addHelpText(
      'after',
      `
The format json is that of the gateway's /api/{game}/diff. The format json-patch (RFC 6902) turns the snapshot of <from> into that of <to>.

Exit code: 0 done, 1 errors were found in the data or in dist/, 2 wrong usage.

Examples:
  gamedata diff arknights                                   what the newest build changed
  gamedata diff arknights 2020-07-15 2020-07-29             the difference between two builds
  gamedata diff arknights --against dist                    what the next gamedata build would publish
  gamedata diff arknights --against dist --format markdown  the same, for a pull request`,
    )
    .action((slug: string, from: string | undefined, to: string | undefined, options: DiffOptions) =>
      diff(slug, from, to, options, start),
    );
}

async function diff(
  slug: string,
  from: string | undefined,
  to: string | undefined,
  { format, data, against, out, ...choice }: DiffOptions,
  start?: StartWorkers,
): Promise<void> {
  await chooseGames([slug], data);
  const later = to ?? (against ? from : undefined);
  const names = [from, later].filter((name) => name !== undefined);
  const newest = later && from ? 0 : from === undefined && !against ? 2 : 1;
  const progress = createProgress(process.stderr);
  const how = { only: { names, newest }, progress, upstream: upstreamOf(choice), start };
  const { builds: now, findings } = await compileBuilds(data, slug, how);
  if (findings.length > 0) process.stderr.write(`${renderFindings(findings)}\n`);
  const { errors } = countFindings(findings);
  if (errors > 0 || now === undefined)
    throw new CommandError(
      `${countOf(errors, 'error')} found in ${path.posix.join(data, slug)}/, which cannot be compared`,
    );
  const held = against ? await openDist(out, slug) : now;
  const before = newest === 2 ? now.manifest.builds.at(-2) : chooseBuild(held, from);
  if (before === undefined)
    throw new CommandError(
      `${now.place} has only one build: compare it with the one in dist/ with --against dist`,
      2,
    );
  const after = chooseBuild(now, later);
  const renamed = await findRenames(path.posix.join(data, slug), before.build, after.build);
  process.stdout.write(RENDERERS[format](await held.read(before), await now.read(after), renamed));
}

/** Returns the build with a name, or the newest. */
function chooseBuild({ manifest: { builds }, names, place }: Builds, name: string | undefined): BuildEntry {
  const entry = name === undefined ? builds.at(-1) : builds.find(({ build }) => build === name);
  if (entry) return entry;
  throw new CommandError(`no build ${name} in ${place}; it has ${names.join(', ') || 'none'}`, 2);
}

/** The builds of a game. */
export interface Builds {
  manifest: Manifest;
  /** The names of all builds, oldest first. */
  names: string[];
  /** The place of the builds, for messages. */
  place: string;
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
  const place = path.posix.join(data, slug);
  const builds = { manifest, names: plan.builds, place, read: contentReader(manifest, readFile) };
  return { builds, findings };
}

/** Opens the builds of a game in dist/. @throws CommandError if the game is missing */
async function openDist(out: string, slug: string): Promise<Builds> {
  const index = await readIndex(out);
  if (index === undefined)
    throw new CommandError(`no ${out}/${INDEX_FILE}: run gamedata build, or set the folder with --out`);
  const ref = index.games.find((game) => game.slug === slug)?.manifest;
  if (ref === undefined) throw new CommandError(`no game ${slug} in ${out}/: run gamedata build ${slug}`);
  const manifest = await readManifest(out, ref);
  if (manifest === undefined) throw damagedFile(out, ref);
  const names = manifest.builds.map(({ build }) => build);
  return { manifest, names, place: `${slug} in ${out}/`, read: distReader(out, manifest) };
}

/** Returns the records of a build whose ids are different in a later one; none if data/ no longer has the earlier build. */
export async function findRenames(folder: string, from: string, to: string): Promise<Renames> {
  const { value: game } = await readGame(folder, path.posix.basename(folder));
  const builds = game?.builds ?? [];
  const [before, after] = [from, to].map((name) => builds.find(({ build }) => build === name));
  return before && after ? renamesBetween(builds, before, after) : {};
}
