import { stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { type FoundTable, findTables, isRequiredDataset } from '../dump/find-tables.ts';
import { type Dump, describeSkipped, listDump } from '../dump/list-files.ts';
import { type DumpValues, readValues } from '../dump/read-values.ts';
import { REQUIRED_DATASETS } from '../../format/dist-format.ts';
import { CommandError } from '../../lib/command-error.ts';
import { countOf } from '../../lib/count-of.ts';
import { isSystemError } from '../../lib/system-error.ts';
import { asRoster, rankRosters, type RosterChoice } from '../propose/choose-roster.ts';
import { languageOf } from '../propose/languages.ts';
import { mendProposal } from '../propose/mend-proposal.ts';
import { chooseFolder, type Draft, proposeDraft, renderDraft } from '../propose/propose-definition.ts';
import { renderDefinition } from '../propose/render-definition.ts';
import { ON_PULL_PLANNER, renderTemplate } from '../propose/template.ts';
import { TextSources } from '../propose/text-sources.ts';
import { gameSchema } from '../../read/game/game-schema.ts';
import { stemOf } from '../../read/formats/formats.ts';
import { slugArgument } from '../../commands/names.ts';
import { makeFolder } from '../../lib/make-folder.ts';
import { findNearest } from '../../lib/nearest.ts';
import { describeMended, describeRosters, describeTables, describeUnread } from './describe-dump.ts';

interface NewOptions {
  from?: string;
  data: string;
  title?: string;
  roster?: string;
  listTables: boolean;
}

/** `gamedata new`. */
export function newCommand(): Command {
  return new Command('new')
    .description(
      'write a commented definition to start with; for a dump, one that names its tables and proposes a mapping',
    )
    .argument('<slug>', 'the name of the game in addresses', slugArgument)
    .option('--from <folder>', 'a dump of the game')
    .option('--roster <table>', 'the table of the characters (default: the one that looks most like it)')
    .option('--list-tables', 'list all tables of the dump, and write nothing', false)
    .option('--title <text>', 'the title of the game (default: made from the slug)', title)
    .option('--data <folder>', 'the folder with the game folders', 'data')
    .addHelpText(
      'after',
      `
Exit code: 0 done, 1 the definition cannot be written, 2 wrong usage.

Examples:
  gamedata new my-game                                           a template to fill in
  gamedata new my-game --from ~/dumps/1.0 --title "My Game"      a mapping for the tables of a dump
  gamedata new my-game --from ~/dumps/1.0 --roster units         the same, with another table as the roster
  gamedata new my-game --from ~/dumps/1.0 --list-tables          all tables of the dump, without writing anything`,
    )
    .action(start);
}

async function start(
  slug: string,
  { from, data, title = titleOf(slug), roster, listTables }: NewOptions,
): Promise<void> {
  const game = path.posix.join(data, slug);
  if (listTables) {
    if (from === undefined) throw new CommandError('--list-tables is about a dump: pass it with --from', 2);
    process.stdout.write(`${describeTables((await readDump(from)).tables).join('\n')}\n`);
    return;
  }
  if (roster !== undefined && from === undefined)
    throw new CommandError('--roster names a table of a dump: pass the dump with --from', 2);
  await refuseExisting(game);
  const start = from === undefined ? startFromTemplate(title) : await startFromDump(title, from, roster);
  await writeNew(game, start.text);
  process.stdout.write(
    `${[...start.report, `written: ${game}/game.json`, '', ...nextSteps(slug, data, from, start)].join('\n')}\n`,
  );
}

interface Start {
  text: string;
  report: string[];
  /** Datasets that every game must have and this one does not have yet. */
  missing: readonly string[];
  /** The sub-folder of a build that the dump goes to; `''` for the build's own. */
  into: string;
}

function startFromTemplate(title: string): Start {
  return { text: renderTemplate(title), report: [], missing: REQUIRED_DATASETS, into: '' };
}

/** Finds the tables of a dump. @throws CommandError if it has none */
async function readDump(
  folder: string,
): Promise<{ dump: Dump; found: DumpValues; tables: FoundTable[]; leftOut: string[] }> {
  const dump = await listDump(folder);
  const found = await readValues(dump);
  const leftOut = [...describeUnread(found), ...[describeSkipped(dump) ?? []].flat()];
  const tables = findTables(found, (stem) => languageOf(stem) !== undefined);
  if (tables.length === 0) {
    const why = `no table in the ${countOf(dump.files.length, 'file')} of ${folder}: expected files with the extension of JSON, CSV, YAML or another known format; without --from, gamedata new writes a template`;
    throw new CommandError([why, ...leftOut].join('\n'));
  }
  return { dump, found, tables, leftOut };
}

async function startFromDump(title: string, folder: string, wanted: string | undefined): Promise<Start> {
  const { dump, found, tables, leftOut } = await readDump(folder);
  const sources = new TextSources(tables);
  const ranked = rankRosters(tables, sources);
  const roster = wanted === undefined ? ranked[0] : chosenRoster(wanted, tables, ranked, sources);
  const head = [
    `Proposed by gamedata new from ${countOf(dump.files.length, 'file')}. Correct what is wrong: gamedata try shows the result of an expression.`,
    ...(roster
      ? []
      : [
          'No table was recognised as the characters, because none has ids and names: write "roster", or put characters.csv into a build.',
        ]),
  ];
  const draft = proposeDraft(title, tables, roster, sources);
  const render = (each: Draft, more: readonly string[] = []) =>
    renderDefinition(renderDraft(each), [...head, ...more], ON_PULL_PLANNER);
  draft.into = chooseFolder(
    draft,
    dump.files.map((file) => file.path),
  );
  const checked = describeMended(await mendProposal(draft, folder, render));
  return {
    text: render(draft, checked),
    report: [
      ...describeRosters(roster, ranked),
      ...checked,
      ...describeTables(tables, readBy(draft), MAX_TABLES),
      ...leftOut,
    ],
    into: draft.into,
    missing: REQUIRED_DATASETS.filter(
      (key) => ![...found.values.keys()].some((file) => isRequiredDataset(file) && stemOf(file) === key),
    ),
  };
}

/** So many tables are described, unless all are asked for. */
const MAX_TABLES = 10;

/** The names of the tables that a draft reads, the roster first. */
function readBy({ roster, datasets }: Draft): Set<string> {
  return new Set([...(roster ? [roster] : []), ...datasets.values()].map(({ table }) => table.name));
}

/** The table that was asked for as the roster. */
function chosenRoster(
  name: string,
  tables: readonly FoundTable[],
  ranked: readonly RosterChoice[],
  sources: TextSources,
): RosterChoice {
  const table = tables.find((each) => each.name === name);
  const rankedRoster =
    table && (ranked.find((each) => each.table === table) ?? asRoster(table, tables, sources));
  if (rankedRoster) return rankedRoster;
  const near = findNearest(
    name,
    tables.map((each) => each.name),
  );
  const why = table
    ? 'has no column with an id and a name for each row'
    : `is no table of the dump${near === undefined ? '' : `: did you mean ${near}?`}`;
  throw new CommandError(`--roster ${name} ${why}`, 2);
}

/** @throws CommandError if the game has a definition already: reading a dump can take a minute */
async function refuseExisting(game: string): Promise<void> {
  const file = `${game}/game.json`;
  if ((await stat(file).catch(() => undefined)) === undefined) return;
  throw new CommandError(
    `${file} exists, and is not overwritten: edit it, choose another slug, or remove it to start again`,
  );
}

/** @throws CommandError if it cannot be written */
async function writeNew(game: string, text: string): Promise<void> {
  const file = `${game}/game.json`;
  try {
    await makeFolder(game);
    await writeFile(file, text, { flag: 'wx' });
  } catch (error) {
    if (!isSystemError(error)) throw error;
    throw new CommandError(
      error.code === 'EEXIST'
        ? `${file} exists, and is not overwritten: edit it, choose another slug, or remove it to start again`
        : `${file} cannot be written: ${error.message}`,
    );
  }
}

function nextSteps(slug: string, data: string, from: string | undefined, { missing, into }: Start): string[] {
  const where = data === 'data' ? '' : ` --data ${quoteForShell(data)}`;
  const dump = from === undefined ? '<dump>' : quoteForShell(from);
  return [
    'next:',
    `  gamedata add ${slug} <build> --from ${dump} --released-at <time>${into === '' ? '' : ` --into ${into}`}${where}`,
    ...missing.map((key) => `  write ${data}/${slug}/<build>/${key}.json, which every game must have`),
    `  gamedata try ${slug}${where}`,
    `  gamedata check ${slug}${where}`,
    `  gamedata build ${slug}${where}`,
    `  remove "draft" from ${data}/${slug}/game.json when the mapping is right: until then, builds may change`,
  ];
}

function quoteForShell(text: string): string {
  return /^[A-Za-z0-9_./~-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Makes a title from a slug: `My Game` from `my-game`. */
function titleOf(slug: string): string {
  return slug
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ');
}

function title(text: string): string {
  const { minLength, maxLength } = gameSchema.properties.title;
  if (text.length >= minLength && text.length <= maxLength) return text;
  throw new InvalidArgumentError(`expected a text of ${minLength} to ${maxLength} characters.`);
}
