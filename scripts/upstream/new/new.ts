import { stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { slugArgument } from '../../commands/options.ts';
import { REQUIRED_DATASETS } from '../../format/dist-format.ts';
import { stemOf } from '../../read/files.ts';
import { TITLE_LENGTH } from '../../read/game-schema.ts';
import { CommandError, isSystemError, makeFolder } from '../../system.ts';
import { countOf, findNearest } from '../../text.ts';
import { describeSkipped, listDump } from '../add/files.ts';
import { asRoster, rankRosters, type Roster } from './choose-roster.ts';
import { expressionOf } from './columns.ts';
import { Texts } from './names.ts';
import {
  checkProposal,
  declareTables,
  type Draft,
  ON_PULL_PLANNER,
  proposeDraft,
  renderDraft,
} from './propose.ts';
import { describeTable, findTables, isRequiredDataset, readDump, type Table } from './tables.ts';

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
  if (from === undefined && (listTables || roster !== undefined))
    throw new CommandError(
      `${listTables ? '--list-tables' : '--roster'} is about a dump: pass it with --from`,
      2,
    );
  if (from !== undefined && listTables) {
    const { tables } = await readTables(from);
    process.stdout.write(
      `${[`${countOf(tables.length, 'table')}:`, ...tables.map(describeLine)].join('\n')}\n`,
    );
    return;
  }
  // Reading a dump can take a minute.
  if ((await stat(`${game}/game.json`).catch(() => undefined)) !== undefined) throw existing(game);
  const { text, report, into, missing } =
    from === undefined
      ? { text: renderTemplate(title), report: [], into: '', missing: REQUIRED_DATASETS }
      : await startFromDump(title, from, roster);
  await writeNew(game, text);
  const where = data === 'data' ? '' : ` --data ${quoteForShell(data)}`;
  const lines = [
    ...report,
    `written: ${game}/game.json`,
    '',
    'next:',
    `  gamedata add ${slug} <build> --from ${from === undefined ? '<dump>' : quoteForShell(from)} --released-at <time>${into === '' ? '' : ` --into ${into}`}${where}`,
    ...missing.map((key) => `  write ${data}/${slug}/<build>/${key}.json, which every game must have`),
    ...['try', 'check', 'build'].map((command) => `  gamedata ${command} ${slug}${where}`),
    `  remove "draft" from ${data}/${slug}/game.json when the mapping is right: until then, builds may change`,
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

async function readTables(folder: string) {
  const dump = await listDump(folder);
  const { values, notes, others } = await readDump(dump);
  const found = findTables({ values });
  const more =
    notes.length > MAX_SHOWN ? [`and ${notes.length - MAX_SHOWN} more files that were not read`] : [];
  const unread =
    others.length > 0 ? [`not read, because the format is unknown: ${countExtensions(others)}`] : [];
  const leftOut = [...notes.slice(0, MAX_SHOWN), ...more, ...unread, ...[describeSkipped(dump) ?? []].flat()];
  if (found.tables.length > 0) return { ...found, dump, leftOut, files: [...values.keys()] };
  const why = `no table in the ${countOf(dump.files.length, 'file')} of ${folder}: expected files with the extension of JSON, CSV, YAML or another known format; without --from, gamedata new writes a template`;
  throw new CommandError([why, ...leftOut].join('\n'));
}

const MAX_SHOWN = 10;

async function startFromDump(title: string, folder: string, wanted: string | undefined) {
  const { dump, tables, regions, leftOut, files } = await readTables(folder);
  const texts = new Texts(tables);
  const ranked = rankRosters(tables, texts);
  const roster = wanted === undefined ? ranked[0] : chooseRoster(wanted, tables, ranked, texts);
  const draft = proposeDraft(
    title,
    { tables, regions },
    roster,
    dump.files.map((file) => file.path),
    texts,
  );
  const isMapped = draft.roster !== undefined || draft.datasets.size > 0;
  const checked = isMapped
    ? await checkProposal(draft, folder)
    : ['nothing is proposed: no table has records with ids'];
  const head = [
    `Proposed by gamedata new from ${countOf(dump.files.length, 'file')}. Correct what is wrong: gamedata try shows the result of an expression.`,
    ...(roster
      ? []
      : [
          'No table was recognised as the characters, because none has ids and names: write "roster", or put characters.csv into a build.',
        ]),
    ...checked,
  ];
  return {
    text: renderDraft(draft, head),
    report: [...describeRosters(roster, ranked), ...checked, ...describeTables(draft), ...leftOut],
    into: draft.into,
    missing: REQUIRED_DATASETS.filter(
      (key) => !files.some((file) => isRequiredDataset(file) && stemOf(file) === key),
    ),
  };
}

function describeRosters(chosen: Roster | undefined, ranked: readonly Roster[]): string[] {
  if (chosen === undefined) return ['roster: none; no table has ids and names like those of characters'];
  const { table, id, names, rarity, stats } = chosen;
  const parts = [
    `id ${id === 'key' ? '$key' : expressionOf(id)}`,
    `name ${expressionOf(names.column)}${names.kind === 'text' ? '' : ', whose texts were not found'}`,
    ...(names.translations.length > 0
      ? [`also in ${names.translations.map(([language]) => language).join(', ')}`]
      : []),
    ...(rarity ? [`rarity ${expressionOf(rarity)}`] : []),
    ...(stats.length > 0 ? [`stats ${stats.map(([, expression]) => expression).join(', ')}`] : []),
  ];
  const others = ranked.filter((each) => each !== chosen).slice(0, 2);
  return [
    `roster: ${table.name} (${parts.join('; ')})`,
    ...others.map((each) => `  or --roster ${each.table.name}: ${each.reasons.join(', ')}`),
  ];
}

function describeLine(table: Table): string {
  const { name, region, files, at } = table;
  return `  ${name}: ${region ? `${region.language}: ` : ''}${files}${at === '' ? '' : ` at ${at}`}, ${describeTable(table)}`;
}

/** The tables that the proposal reads, the roster first, and some of the others. */
function describeTables(draft: Draft): string[] {
  const { read, all } = declareTables(draft);
  const used = [...(draft.roster ? [draft.roster] : []), ...draft.datasets.values()].map(
    ({ table }) => table,
  );
  const shown = [...new Set([...used, ...draft.tables])].slice(0, MAX_SHOWN);
  const more =
    all > MAX_SHOWN ? [`  and ${all - MAX_SHOWN} more: gamedata new with --list-tables lists all`] : [];
  return [
    `${countOf(all, 'table')}, of which the proposal reads ${read}:`,
    ...shown.map(describeLine),
    ...more,
  ];
}

function chooseRoster(
  name: string,
  tables: readonly Table[],
  ranked: readonly Roster[],
  texts: Texts,
): Roster {
  const table = tables.find((each) => each.name === name);
  const roster = table && (ranked.find((each) => each.table === table) ?? asRoster(table, tables, texts));
  if (roster) return roster;
  const near = findNearest(
    name,
    tables.map((each) => each.name),
  );
  const why = table
    ? 'has no column with an id and a name for each row'
    : `is no table of the dump${near === undefined ? '' : `: did you mean ${near}?`}`;
  throw new CommandError(`--roster ${name} ${why}`, 2);
}

function existing(game: string): CommandError {
  return new CommandError(
    `${game}/game.json exists, and is not overwritten: edit it, choose another slug, or remove it to start again`,
  );
}

async function writeNew(game: string, text: string): Promise<void> {
  try {
    await makeFolder(game);
    await writeFile(`${game}/game.json`, text, { flag: 'wx' });
  } catch (error) {
    if (!isSystemError(error)) throw error;
    throw error.code === 'EEXIST'
      ? existing(game)
      : new CommandError(`${game}/game.json cannot be written: ${error.message}`);
  }
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
  const { minLength, maxLength } = TITLE_LENGTH;
  if (text.length >= minLength && text.length <= maxLength) return text;
  throw new InvalidArgumentError(`expected a text of ${minLength} to ${maxLength} characters.`);
}

/** The definition of a game without a dump: a title, and comments with examples of the other parts. */
function renderTemplate(title: string): string {
  return `// Files directly in a build's folder are served unchanged: characters.json (a list, or an object keyed by id) or characters.csv is the
// roster, and each other <dataset_key>.json, .csv … is a dataset. To use a dump in the game's own shape, map it below.
${ON_PULL_PLANNER}{
  "$schema": "../game.schema.json",
  "title": ${JSON.stringify(title)},
  // The tables of the dump. A wildcard makes an object keyed by file stem, "at" is a JSON Pointer into the file, and "key" turns a list
  // into an object keyed by that field.
  "tables": {
    // "characters": "raw/characters/*.json",
    // "items": { "files": "raw/items.json", "at": "/items" },
    // "ranks": { "files": "raw/ranks.csv", "key": ["unit_id", "rarity"] }
  },
  // How rows become records, in JSONata (https://docs.jsonata.org): $ is a row, $key its key, $tables all tables; "where" selects rows,
  // "record" adds what only the full record has.
  // "roster": {
  //   "from": "characters",
  //   "where": "playable",
  //   "entry": "{ 'id': $key, 'name': name, 'rarity': rarity, 'stats': { 'hp': hp, 'atk': atk } }",
  //   "record": "{ 'skills': skills }"
  // },
  "datasets": {
    // One record per row, or one expression over all tables.
    // "items": { "from": "items", "entry": "{ 'id': $key, 'name': name }" }
  }
}
`;
}

/** The number of files of each extension: `12 .png, 1 .xml`. */
function countExtensions(files: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const file of files) {
    const extension = path.posix.extname(file).toLowerCase() || 'without an extension';
    counts.set(extension, (counts.get(extension) ?? 0) + 1);
  }
  return [...counts]
    .sort(([, many], [, more]) => more - many)
    .slice(0, 10)
    .map(([extension, count]) => `${count} ${extension}`)
    .join(', ');
}
