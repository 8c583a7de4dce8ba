import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { slugArgument } from '../../commands/options.ts';
import { compileGame } from '../../compile/game.ts';
import type { Finding } from '../../findings.ts';
import { REQUIRED_DATASETS } from '../../format/dist-format.ts';
import { isKnownFile, stemOf } from '../../read/files.ts';
import { type RawTable, TITLE_LENGTH } from '../../read/game-schema.ts';
import { CommandError, isSystemError, makeFolder } from '../../system.ts';
import { countOf, suggestFix } from '../../text.ts';
import { addBuild } from '../add/add-build.ts';
import {
  identify,
  type Keys,
  type Mapping,
  mapDatasets,
  mapRoster,
  ROSTER,
  type RosterCandidate,
  rankRosters,
} from './propose.ts';
import {
  type DumpTable,
  describeTable,
  isRequiredDataset,
  type LanguageFolders,
  readTables,
} from './tables.ts';

interface NewOptions {
  from?: string;
  data: string;
  title?: string;
  roster?: string;
  listTables: boolean;
}

const MAX_SHOWN = 10;

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

async function start(slug: string, options: NewOptions): Promise<void> {
  const { from, data, title = titleOf(slug), roster, listTables } = options;
  const game = path.posix.join(data, slug);
  const print = (lines: readonly string[]) => process.stdout.write(`${lines.join('\n')}\n`);
  if (from === undefined && (listTables || roster !== undefined))
    throw new CommandError(
      `${listTables ? '--list-tables' : '--roster'} is about a dump: pass it with --from`,
      2,
    );
  if (from !== undefined && listTables) {
    const { tables } = await readTables(from);
    return void print([`${countOf(tables.length, 'table')}:`, ...tables.map(describeTable)]);
  }
  const exists = `${game}/game.json exists, and is not overwritten: edit it, choose another slug, or remove it to start again`;
  // Reading a dump can take a minute.
  if ((await stat(`${game}/game.json`).catch(() => undefined)) !== undefined) throw new CommandError(exists);
  const template = { text: renderTemplate(title), report: [], into: '', missing: REQUIRED_DATASETS };
  const { text, report, into, missing } =
    from === undefined ? template : await startFromDump(title, from, roster);
  try {
    await makeFolder(game);
    await writeFile(`${game}/game.json`, text, { flag: 'wx' });
  } catch (error) {
    if (!isSystemError(error)) throw error;
    throw new CommandError(`${game}/game.json cannot be written: ${error.message}`);
  }
  const where = data === 'data' ? '' : ` --data ${quoteForShell(data)}`;
  const dump = from === undefined ? '<dump>' : quoteForShell(from);
  print([
    ...report,
    `written: ${game}/game.json`,
    '',
    'next:',
    `  gamedata add ${slug} <build> --from ${dump} --released-at <time>${into === '' ? '' : ` --into ${into}`}${where}`,
    ...missing.map((key) => `  write ${data}/${slug}/<build>/${key}.json, which every game must have`),
    ...['try', 'check', 'build'].map((command) => `  gamedata ${command} ${slug}${where}`),
    `  remove "draft" from ${data}/${slug}/game.json when the mapping is right: until then, builds may change`,
  ]);
}

function listSome(lines: readonly string[], what = ''): string[] {
  const more = lines.length - MAX_SHOWN;
  return [...lines.slice(0, MAX_SHOWN), ...(more > 0 ? [`  and ${more} more${what}`] : [])];
}

/** A proposal, parts of which can be removed before it is written. */
interface Draft {
  title: string;
  language: string | undefined;
  tables: readonly DumpTable[];
  folders: LanguageFolders;
  /** The roster, and datasets by key. */
  mappings: Map<string, Mapping>;
  keys: Keys;
  /** The folder inside a build's folder for the dump; `''` for the build's own. */
  into: string;
  /** Decisions for a person. */
  notes: string[];
}

/** Proposes a definition for a dump. @param wanted the table of the roster */
export async function startFromDump(title: string, folder: string, wanted?: string) {
  const { tables, folders, files, notes, skipped } = await readTables(folder);
  const leftOut = [...listSome(notes, ' files that were not read'), ...skipped];
  if (tables.length === 0) {
    const why = `no table in the ${countOf(files.length, 'file')} of ${folder}: expected files with the extension of JSON, CSV, YAML or another known format; without --from, gamedata new writes a template`;
    throw new CommandError([why, ...leftOut].join('\n'));
  }
  const identified = identify(tables);
  const ranked = rankRosters(identified);
  const roster = wanted === undefined ? ranked[0] : ranked.find(({ table }) => table.name === wanted);
  if (wanted !== undefined && roster === undefined) {
    const names = tables.map(({ name }) => name);
    const { fix = 'gamedata new --list-tables lists them' } = suggestFix(wanted, names);
    const missing = `is no table of the dump: ${fix}`;
    const isThere = names.includes(wanted);
    throw new CommandError(
      `--roster ${wanted} ${isThere ? 'has no column with an id and a name for each row' : missing}`,
      2,
    );
  }
  const required = files.filter(isRequiredDataset).map(stemOf);
  const keys: Keys = new Map();
  const mapped = roster && mapRoster(roster, tables, keys);
  const others = mapDatasets(identified, keys).filter(([, { table }]) => table !== roster?.table);
  // A file next to `build.json` that no table declares is served unchanged, so the dump gets its own folder.
  const isInside = required.length === 0 && files.some((file) => !file.includes('/') && isKnownFile(file));
  const draft: Draft = {
    ...{ title, tables, folders, keys, language: roster?.names.language, into: isInside ? 'raw' : '' },
    mappings: new Map([...others, ...(mapped ? [[ROSTER, mapped.mapping] as const] : [])]),
    notes: mapped?.notes ?? [
      'No table was recognised as the characters, because none has ids and names: write "roster", or put characters.csv into a build.',
    ],
  };
  const checked =
    draft.mappings.size > 0
      ? await checkDraft(draft, folder)
      : ['nothing is proposed: no table has records with ids'];
  draft.notes.unshift(
    `Proposed by gamedata new from ${countOf(files.length, 'file')}. Correct what is wrong: gamedata try shows the result of an expression.`,
    ...checked,
  );
  const read = readTablesOf(draft);
  const shown = [...new Set([...(roster ? [roster.table] : []), ...read, ...tables])];
  return {
    text: renderDraft(draft),
    report: [
      ...describeRosters(roster, ranked),
      ...checked,
      `${countOf(tables.length, 'table')}, of which the proposal reads ${read.length}:`,
      ...listSome(shown.map(describeTable), ': gamedata new with --list-tables lists all'),
      ...leftOut,
    ],
    into: draft.into,
    missing: REQUIRED_DATASETS.filter((key) => !required.includes(key)),
  };
}

const MAX_ROUNDS = 8;

/** Checks a draft on its dump like `gamedata check`, and removes attributes and datasets with errors. @returns lines for people */
async function checkDraft(draft: Draft, dump: string): Promise<string[]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'gamedata-new-'));
  const game = path.posix.join(folder, 'game');
  const leftOut: string[] = [];
  const list = (title: string, lines: readonly string[]) =>
    lines.length > 0 ? [`${title}:`, ...listSome(lines.map((line) => `  ${line}`))] : [];
  try {
    await makeFolder(game);
    await writeFile(path.join(game, 'game.json'), renderDraft(draft));
    await addBuild(dump, { game, build: '1', into: draft.into, partial: false, now: '2000-01-01T00:00:00Z' });
    const there = await readdir(path.join(game, '1'));
    for (const key of REQUIRED_DATASETS.filter((each) => !there.some((file) => file.startsWith(`${each}.`))))
      await writeFile(path.join(game, '1', `${key}.json`), '{"unknown": true}');
    for (let round = 0; ; round++) {
      await writeFile(path.join(game, 'game.json'), renderDraft(draft));
      const { findings } = await compileGame(game, 'game');
      const errors = findings.filter(({ severity }) => severity === 'error');
      const taken = round === MAX_ROUNDS ? [] : errors.flatMap((error) => leaveOut(draft, error));
      leftOut.push(...new Set(taken));
      if (taken.length > 0) continue;
      const left = errors.map(({ check, found, expected }) => `${found}; expected ${expected} (${check})`);
      return [
        ...list('left out, because gamedata check found an error there', leftOut),
        ...(left.length === 0 ? ['gamedata check finds no error in the proposal'] : []),
        ...list('gamedata check still finds errors in the proposal; correct them after gamedata add', left),
      ];
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Removes what an error concerns: an attribute, the stats, or a dataset. @returns what was removed */
function leaveOut({ mappings }: Draft, { check, place, of = '', found }: Finding): string[] {
  const [, dataset] = /^\/datasets\/(\w+)/.exec(place.pointer) ?? [];
  const [, named] = / of (\w+)/.exec(found) ?? [];
  const about = [dataset, of.split('.')[0], named].find(
    (each) => each && (mappings.has(each) || each === 'characters'),
  );
  const [reading] = [...mappings].find(([, { table }]) => place.file.endsWith(table.files)) ?? [];
  const key =
    about === 'characters' || place.pointer.startsWith('/roster') ? ROSTER : (about ?? reading ?? '');
  const { attributes, stats } = mappings.get(key) ?? {};
  if (attributes === undefined || stats === undefined) return [];
  const why = `: ${found} (${check})`;
  const isNamed = (name: string) => of.endsWith(`.${name}`) || new RegExp(`"[/\\w]*\\b${name}"`).test(found);
  for (const name of attributes.keys())
    if (!['id', 'name'].includes(name) && isNamed(name) && attributes.delete(name))
      return [`${key}.${name}${why}`];
  for (const name of stats.keys())
    if (isNamed(name) && stats.delete(name)) return [`${key}.stats.${name}${why}`];
  const isOfStats = stats.size > 0;
  if (isOfStats) stats.clear();
  else mappings.delete(key);
  return [`${key}${isOfStats ? '.stats' : ''}${why}`];
}

/** The tables that the mappings read. */
function readTablesOf({ mappings, tables }: Draft): DumpTable[] {
  const all = [...mappings.values()];
  const text = all.flatMap(({ attributes, joined, stats }) => [stats.size && joined, ...attributes.values()]);
  const named = new Set([...text.join().matchAll(/\$tables\.(\w+)/g)].map(([, name]) => name));
  return tables.filter(
    (table) =>
      all.some((mapping) => mapping.table === table) ||
      [table, ...table.others].some(({ name }) => named.has(name)),
  );
}

const ON_PULL_PLANNER = `// Every game has the dataset "pull_planner": the cost of a pull, pity and guarantees, such as {"currency": "Gem", "cost_per_pull": 160, "pity": 90}.
// Write pull_planner.json in the folder of your first build (later builds inherit it), or map it in "datasets".
`;

/** Writes a draft as game.json, below comments. Only the tables that it reads are declared, those of several languages once. */
function renderDraft(draft: Draft): string {
  const { title, language, mappings, folders, keys, into, notes } = draft;
  const declared = readTablesOf(draft).map((table): [string, RawTable] => {
    const { files, at, options, of, language: own } = table;
    const group = [table, ...table.others];
    const key = group.map(({ name }) => keys.get(name)).find(Boolean);
    const languages = group.flatMap((each) => each.language ?? []);
    const more = {
      ...(at !== '' && { at }),
      ...(key !== undefined && { key }),
      ...options,
      ...(own !== undefined && { regions: languages.length === folders.size ? (true as const) : languages }),
    };
    const place = own === undefined ? path.posix.join(into, files) : files;
    return [of, Object.keys(more).length === 0 ? place : { files: place, ...more }];
  });
  const inFolders = [...folders].map(([name, folder]) => [name, path.posix.join(into, folder)]);
  const { roster, ...datasets } = Object.fromEntries(
    [...mappings].map(([key, each]) => [key, renderMapping(each, key)]),
  );
  const definition = {
    $schema: '../game.schema.json',
    title,
    draft: true,
    language,
    regions: folders.size > 0 ? Object.fromEntries(inFolders) : undefined,
    tables: Object.fromEntries(declared),
    roster,
    datasets: Object.keys(datasets).length > 0 ? datasets : undefined,
  };
  const comments = notes.map((text) => `// ${text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')}\n`);
  return `${comments.join('')}${ON_PULL_PLANNER}${JSON.stringify(definition, null, 2)}\n`;
}

function renderMapping({ table, where, joined, attributes, stats }: Mapping, key: string) {
  const pairs = (map: Map<string, string>) =>
    [...map].map(([name, expression]) => `'${name}': ${expression}`);
  const lines = [
    ...pairs(attributes),
    ...(stats.size > 0 ? [`'stats': { ${pairs(stats).join(', ')} }`] : []),
  ];
  const long = ['{', ...lines.map((line, at) => `  ${line}${at < lines.length - 1 ? ',' : ''}`), '}'];
  const entry = joined === undefined || stats.size === 0 ? long : [`($joined := ${joined};`, ...long, ')'];
  return { from: table.name, where, entry: key === ROSTER ? entry : `{ ${lines.join(', ')} }` };
}

function describeRosters(chosen: RosterCandidate | undefined, ranked: readonly RosterCandidate[]): string[] {
  if (chosen === undefined) return ['roster: none; no table has ids and names like those of characters'];
  const { table, id, names, rarity, stats } = chosen;
  const parts = [
    `id ${id === 'key' ? '$key' : id.expression}`,
    `name ${names.column.expression}${names.readable ? '' : ', whose texts were not found'}`,
    names.translations.length > 0 && `also in ${names.translations.map(([language]) => language).join(', ')}`,
    rarity && `rarity ${rarity.column.expression}`,
    stats.length > 0 && `stats ${stats.map(([, expression]) => expression).join(', ')}`,
  ];
  const others = ranked.filter((each) => each.table !== table).slice(0, 2);
  return [
    `roster: ${table.name} (${parts.filter(Boolean).join('; ')})`,
    ...others.map((each) => `  or --roster ${each.table.name}: ${countOf(each.table.rows.size, 'row')}`),
  ];
}

function quoteForShell(text: string): string {
  return /^[A-Za-z0-9_./~-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Makes a title from a slug: `My Game` from `my-game`. */
function titleOf(slug: string): string {
  return slug.replace(/(^|-)(.)/g, (_, start, letter) => (start === '' ? '' : ' ') + letter.toUpperCase());
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
  // The tables of the dump: "characters": "raw/characters/*.json" makes an object keyed by file stem, "at" is a JSON Pointer into the file,
  // and "key" turns a list into an object: "ranks": { "files": "raw/ranks.csv", "key": ["unit_id", "rarity"] }
  "tables": {},
  // How rows become records, in JSONata (https://docs.jsonata.org): $ is a row, $key its key, $tables all tables; "where" selects rows,
  // "record" adds what only the full record has:
  // "roster": { "from": "characters", "where": "playable", "entry": "{ 'id': $key, 'name': name }", "record": "{ 'skills': skills }" },
  // One record per row, or one expression over all tables: "items": { "from": "items", "entry": "{ 'id': $key, 'name': name }" }
  "datasets": {}
}
`;
}
