import path from 'node:path';
import { Command, Option } from 'commander';
import { diff as diffLists } from 'json-diff';
import { countFindings, escapeControls, renderFindings } from '../../check/report.ts';
import { addUpstreamOptions, chooseGames, type UpstreamChoice, upstreamOf } from '../../commands/options.ts';
import { type StartWorkers, startCompiler } from '../../compile/workers.ts';
import { type Change, renamesBetween } from '../../diff/compare.ts';
import { type BuildDiff, patchBuilds } from '../../diff/diff-builds.ts';
import { diffGame, type FoldContext, readContext } from '../../diff/fold.ts';
import { arrangeDiff, cutApart, type Named } from '../../diff/summary.ts';
import { type BuildContent, contentReader, type ReadFile } from '../../format/build-content.ts';
import type { BuildEntry, Json, Manifest, Renames } from '../../format/dist-format.ts';
import { pointerSteps } from '../../format/json.ts';
import { readGame, type UpstreamOptions } from '../../read/game.ts';
import { CommandError, createProgress, DEFAULT_LIMITS, type Limits, type Progress } from '../../system.ts';
import { countOf } from '../../text.ts';

interface DiffOptions extends UpstreamChoice {
  format: keyof typeof RENDERERS;
  data: string;
}

type Step = [before: BuildContent, after: BuildContent, renamed: Renames, context: FoldContext];
const RENDERERS = {
  text: (...step: Step) => renderText(diffGame(...step)),
  json: (...step: Step) => `${JSON.stringify(diffGame(...step), null, 2)}\n`,
  'json-patch': (...[before, after]: Step) => `${JSON.stringify(patchBuilds(before, after), null, 2)}\n`,
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

Exit code: 0 done, 1 errors were found in the data, 2 wrong usage.`,
    )
    .action((slug: string, from: Name, to: Name, options: DiffOptions) =>
      diff(slug, [from, to], options, start),
    );
}

type Name = string | undefined;

async function diff(slug: string, [from, to]: Name[], options: DiffOptions, start?: StartWorkers) {
  const { format, data, ...choice } = options;
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
  const choose = (name: Name, at: number): BuildEntry => {
    const entry = name === undefined ? entries.at(at) : entries.find(({ build }) => build === name);
    if (entry) return entry;
    const missing = name === undefined ? 'no build to compare with' : `no build ${name}`;
    throw new CommandError(`${missing} in ${folder}; it has ${builds.names.join(', ')}`, 2);
  };
  const [before, after] = [choose(from, -2), choose(to, -1)];
  const renamed = await findRenames(folder, before.build, after.build);
  const contents = [await builds.read(before), await builds.read(after)] as const;
  process.stdout.write(RENDERERS[format](...contents, renamed, await builds.readContext(after)));
}

/** The builds of a game, and the names of all, oldest first. */
export type Builds = NonNullable<Awaited<ReturnType<typeof compileBuilds>>['builds']>;

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
) {
  const compiler = startCompiler(1, limits, 1, start);
  const options = { lenient: true, ...(only && { only }), upstream };
  const compiling = compiler.compile(data, [slug], { ...progress, done() {} }, options);
  const { value, findings } = await compiling.finally(() => compiler.close());
  progress.clear();
  const [plan] = value;
  if (plan === undefined) return { builds: undefined, findings };
  const readFile: ReadFile = async ({ file }) => Buffer.from(plan.files.get(file) as Uint8Array);
  const manifest: Manifest = JSON.parse((await readFile(plan.manifest)).toString());
  const read = contentReader(manifest, readFile);
  const contextOf = (entry: BuildEntry) => readContext(manifest, entry, readFile);
  return { builds: { manifest, names: plan.builds, read, readContext: contextOf }, findings };
}

/** Returns the records of a build whose ids are different in a later one; none if data/ no longer has the earlier build. */
export async function findRenames(folder: string, from: string, to: string): Promise<Renames> {
  const { value: game } = await readGame(folder, path.posix.basename(folder));
  const builds = game?.builds ?? [];
  const [before, after] = [from, to].map((name) => builds.find(({ build }) => build === name));
  return before && after ? renamesBetween(builds, before, after) : {};
}

/** If two lists have more, they are shown as values, not by element. */
const MAX_LIST_ELEMENTS = 100;
const MAX_VALUE_CHARACTERS = 80;
const MAX_NAME_CHARACTERS = 120;

/** Lists the differences, list by list. */
function sectionsOf(diff: BuildDiff) {
  const nameOf = ({ id, name }: Named) => (name && name !== id ? `${id} ${name}` : id);
  const sections = arrangeDiff(diff).map((part) => {
    const { key, added, removed, changed, changes, renamed, attributes } = part;
    const { gained, lost, elements = [] } = attributes;
    const ofLists = elements.map(({ key: list, values }) =>
      values === undefined ? list : `${list}: ${values.map((value) => JSON.stringify(value)).join(', ')}`,
    );
    const lists: { label: string; mark: string; texts: string[] }[] = [
      { label: 'Attributes gained', mark: '+ attribute', texts: gained },
      { label: 'Attributes lost', mark: '- attribute', texts: lost },
      { label: 'Elements gained', mark: '+ elements', texts: ofLists },
      { label: 'Renumbered', mark: '=', texts: Object.entries(renamed).map((pair) => pair.join(' → ')) },
      { label: 'Added', mark: '+', texts: added.map(nameOf) },
      { label: 'Removed', mark: '-', texts: removed.map(nameOf) },
    ];
    // A dataset that is one value has a single entry without a name.
    const ofRecords = changed.map((record) => ({ name: nameOf(record), changes: record.changes }));
    return {
      key,
      summary: [part.summary || [], part.ofData].flat().join(', '),
      lists: lists.filter(({ texts }) => texts.length > 0),
      changed: changes.length > 0 ? [...ofRecords, { name: undefined, changes }] : ofRecords,
    };
  });
  return sections.filter(({ summary }) => summary !== '');
}

/** Renders a diff as lines of text. */
export function renderText(diff: BuildDiff): string {
  const renderChange = (change: Change): string => {
    const { path, from, to, growth } = describeChange(change);
    const label = path || 'all of it';
    if (from === undefined) return `+ ${label} ${to}`;
    if (to === undefined) return `- ${label} ${from}`;
    return `  ${label} ${diffElements(change) ?? `${from} → ${to}${growth}`}`;
  };
  const lines = sectionsOf(diff).flatMap(({ key, summary, lists, changed }) => [
    '',
    `${key}: ${summary}`,
    ...lists.flatMap(({ mark, texts }) => texts.map((text) => escapeControls(`${mark} ${text}`))),
    ...changed.flatMap(({ name, changes }) => [
      ...(name === undefined ? [] : [`~ ${escapeControls(name)}`]),
      ...changes.map((change) => `${name === undefined ? '  ' : '    '}${renderChange(change)}`),
    ]),
  ]);
  const title = `${diff.game} ${diff.from ?? 'nothing'} → ${diff.to}`;
  return `${[title, ...(lines.length === 0 ? ['no difference'] : lines)].join('\n')}\n`;
}

/**
 * Renders a diff as blocks of GitHub's Markdown; changes that do not fit are counted. All text from data is in code spans, so that none of it becomes
 * a link, a mention or HTML.
 */
export function renderChanges(diff: BuildDiff, maxCharacters: number): string[] {
  const sections = sectionsOf(diff);
  const most = maxCharacters / sections.length;
  const spanOf = (text: string) => code(text);
  const blocks = sections.flatMap(({ key, summary, lists, changed }) => {
    const isOfRecords = changed.some(({ name }) => name !== undefined);
    const subject = key === 'characters' ? 'character' : 'record';
    const head = [...(isOfRecords ? [subject] : []), 'attribute', 'before', 'after'];
    const rows = changed.flatMap(({ name, changes }) => changes.map((change) => rowOf(name, change)));
    const table = [head.join(' | '), head.map(() => '---').join(' | '), ...rows].map((row) => `| ${row} |`);
    return [
      `#### ${key === 'characters' ? key : code(key)}: ${summary}`,
      ...lists.map(({ label, texts }) => `${label}: ${fit(texts.map(spanOf), most / 8, ', ')}`),
      ...(rows.length > 0 ? [fit(table, most / 2)] : []),
    ];
  });
  return blocks.length === 0 ? ['No difference.'] : blocks;
}

/** Joins the first texts that fit, at least one, and the number of the others. */
export function fit(texts: readonly string[], maxCharacters: number, between = '\n'): string {
  let left = maxCharacters;
  const end = texts.findIndex((text, at) => {
    left -= text.length + between.length;
    return left < 0 && at > 0;
  });
  return (end === -1 ? texts : [...texts.slice(0, end), `…and ${texts.length - end} more`]).join(between);
}

function rowOf(name: string | undefined, change: Change): string {
  const { path, from, to, growth } = describeChange(change);
  const cells = [...(name === undefined ? [] : [name]), path || '(all of it)', from, to];
  const row = cells.map((text) => (text === undefined ? '' : code(text).replaceAll('|', '\\|')));
  return row.join(' | ') + growth;
}

/** Returns the elements that a short list of scalars gained or lost; undefined if the values are shown instead. */
function diffElements({ from, to }: Change): string | undefined {
  if (!Array.isArray(from) || !Array.isArray(to)) return undefined;
  const all = [...from, ...to];
  if (all.length > MAX_LIST_ELEMENTS || all.some((each) => typeof each === 'object')) return undefined;
  const elements: string[] = [];
  for (const [sign, value] of diffLists(from, to) ?? []) {
    if (sign === ' ') continue;
    // The package loses texts that are names of inherited properties ("constructor").
    if (value === undefined) return undefined;
    elements.push(sign + cutShort(escapeControls(JSON.stringify(value)), MAX_VALUE_CHARACTERS));
  }
  return elements.join(' ');
}

/**
 * Describes a change with values as JSON of limited length, without unprintable characters. Positions in the dotted path count from 0; `growth` is the
 * relative change of a number, such as ` (+5%)`.
 */
function describeChange({ path: pointer, from, to }: Change) {
  const path = escapeControls(pointerSteps(pointer).join('.'));
  const texts = [from, to].map((value) => value !== undefined && escapeControls(JSON.stringify(value)));
  const [before, after] = cutApart(texts[0] || '', texts[1] || '', MAX_VALUE_CHARACTERS);
  return { path, from: before || undefined, to: after || undefined, growth: describeGrowth(from, to) };
}

/** The relative change of a number in per cent: rounded to a tenth, or to two digits if less than 1 %. */
function describeGrowth(from: Json | undefined, to: Json | undefined): string {
  if (typeof from !== 'number' || typeof to !== 'number' || from === 0) return '';
  const percent = ((to - from) / Math.abs(from)) * 100;
  const rounded = Number(Math.abs(percent) < 1 ? percent.toPrecision(2) : percent.toFixed(1));
  return ` (${rounded > 0 ? '+' : ''}${rounded}%)`;
}

/** The first characters of a text, with an ellipsis if it is longer. */
export function cutShort(text: string, maxCharacters: number): string {
  return text.length > maxCharacters ? `${[...text].slice(0, maxCharacters).join('')}…` : text;
}

/** A code span (CommonMark 6.1) of a text from data: its fence is longer than any run of backticks in it. */
export function code(text: string, maxCharacters = MAX_NAME_CHARACTERS): string {
  const content = cutShort(escapeControls(text), maxCharacters);
  const marks = '`'.repeat(longestRun(content) + 1);
  const padding = /^`|`$|^ .* $/.test(content) ? ' ' : '';
  return marks + padding + content + padding + marks;
}

/** A fenced block of code (CommonMark 4.5): its fence is longer than any run of backticks in it. */
export function fence(text: string): string {
  const marks = '`'.repeat(Math.max(3, longestRun(text) + 1));
  return `${marks}text\n${text.trimEnd()}\n${marks}`;
}

function longestRun(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
}
