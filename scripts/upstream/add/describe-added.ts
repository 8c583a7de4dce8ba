import { type CoverageOptions, type UpstreamChoice, upstreamOf } from '../../commands/options.ts';
import { countOf, megabytes } from '../../text.ts';
import { countFindings } from '../../check/report.ts';
import { renderCoverage } from '../../report/coverage.ts';
import { DEFAULT_LIMITS, startCompiler, type StartWorkers } from '../../compile/workers.ts';
import type { AddedBuild } from './add-build.ts';
import { describeMissed, findMissed, listFew } from './missed-files.ts';
import type { Inherited } from './replace-build.ts';
import { type Dump, describeSkipped } from './list-files.ts';

const SILENT = { step() {}, done() {}, clear() {} };

/** Compiles a game to which a build was added. Returns what the build has, how many findings there are, and how many of them are errors. */
export async function checkAdded(
  slug: string,
  { data, coverage: choice, ...upstream }: CoverageOptions & UpstreamChoice & { data: string },
  start?: StartWorkers,
): Promise<{ text: string; errors: number }> {
  const compiler = startCompiler(1, DEFAULT_LIMITS, 1, start);
  const { findings, coverage } = await compiler
    .compile(data, [slug], SILENT, { now: Date.now(), upstream: upstreamOf(upstream) })
    .finally(() => compiler.close());
  const { errors, warnings } = countFindings(findings);
  const checkFindings = [
    errors > 0 ? countOf(errors, 'error') : [],
    warnings > 0 ? countOf(warnings, 'warning') : [],
  ].flat();
  const next =
    checkFindings.length === 0 ? '' : `${checkFindings.join(' and ')}: see gamedata check ${slug}\n`;
  return { text: renderCoverage(coverage, choice) + next, errors };
}

/** The warning about a dump that changes nothing, and is probably the one that was added before; undefined for other dumps. */
export function describeIdle(
  { builds, existing, addition, inherited }: AddedBuild,
  folder: string,
): string | undefined {
  if (inherited) return undefined;
  const { added, changed, removed } = addition;
  if (added.length + changed.length + removed.length > 0) return undefined;
  const before = (existing ?? builds.at(-1))?.build;
  const undo = existing ? `nothing was added to ${folder}` : `if it is the wrong dump, remove ${folder}`;
  return `warning: the dump has the same content as build ${before}; ${undo}`;
}

/** How a dump was added. */
interface Described {
  game: string;
  into: string;
  assumed: boolean;
  /** Whether the build names the files instead of holding copies. */
  isNamed?: boolean;
}

/** Describes what was added, in several lines. `assumed` says that the time of the release is the present. */
export function describeAdded(
  { builds, existing, released_at, dump, addition, target, inherited }: AddedBuild,
  { game, into, assumed, isNamed = false }: Described,
): string {
  const { added, changed, unchanged, removed, kept, leftOut } = addition;
  const bytes = [...added, ...changed].reduce((sum, file) => sum + file.bytes, 0);
  const before = inherited ? builds.at(-1) : (existing ?? builds.at(-1));
  const unread = new Set(leftOut);
  const read = dump.files.map((file) => file.path).filter((file) => !unread.has(file));
  const missed = findMissed(read, leftOut);
  const lines = [
    `${target}: ${added.length} new, ${changed.length} changed, ${removed.length} removed, ${unchanged} unchanged${before ? ` (inherited from ${before.build})` : ''}; ${megabytes(bytes)} ${isNamed ? 'named by reference' : 'stored'}`,
    `released at ${released_at}${assumed ? ', which is now; set another time with --released-at' : ''}`,
    ...(removed.length > 0 ? [`removed: ${listFew(removed)}`] : []),
    ...(into === '' ? missingFolders(removed, dump) : []).map(
      (folder) =>
        `the dump has no folder ${folder}/: if it is the dump of one region, remove ${target} and add it again with --into`,
    ),
    ...(kept.length > 0 ? [`kept, because they are not from such a dump: ${listFew(kept)}`] : []),
    ...(leftOut.length > 0
      ? [
          `left out, because no table of ${game}/game.json names them, nor are they datasets by their name: ${listFew(leftOut)}`,
        ]
      : []),
    ...(missed.length > 0 ? [describeMissed(missed, game)] : []),
    ...[describeSkipped(dump) ?? []].flat(),
    ...(inherited ? describeInherited(inherited) : []),
  ];
  return lines.join('\n');
}

/** What later builds have from a build that was replaced. */
function describeInherited(inherited: readonly Inherited[]): string[] {
  if (inherited.length === 0) return ['replaced; no later build inherits what is different now'];
  return [
    'replaced; later builds inherit what is different now:',
    ...inherited.map(({ builds, files }) => `  ${listFew(builds, 'build')}: ${listFew(files)}`),
    'if one of them had the files as they were before, take its dump anew too (--replace)',
  ];
}

/** The top folders of removed files that the dump does not have. */
function missingFolders(removed: readonly string[], { files }: Dump): string[] {
  const topOf = (file: string) => (file.includes('/') ? [file.split('/')[0] ?? ''] : []);
  const left = new Set(files.flatMap((file) => topOf(file.path)));
  return [...new Set(removed.flatMap(topOf))].filter((folder) => !left.has(folder));
}
