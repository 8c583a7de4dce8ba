import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Command } from 'commander';
import { slugArgument } from '../../commands/options.ts';
import { stripMarkup } from '../../compile/library.ts';
import { RESERVED_ATTRIBUTES } from '../../format/dist-format.ts';
import { isKnownFile } from '../../read/formats.ts';
import { CommandError, isAbsent, makeFolder, orCommandError } from '../../system.ts';
import { countOf } from '../../text.ts';
import { type Pair, type RosterCandidate, rankRosters } from './roster.ts';
import { type DumpColumn, describeTable, readDumpTables } from './tables.ts';
import { snakeCase } from './words.ts';

/** `gamedata new`. */
export function newCommand(): Command {
  return new Command('new')
    .description('write a commented definition to start with, which maps the characters of a dump')
    .argument('<slug>', 'the name of the game in addresses', slugArgument)
    .requiredOption('--from <folder>', 'a dump of the game')
    .option('--roster <table>', 'the table of the characters (default: the one that looks most like it)')
    .option('--data <folder>', 'the folder with the game folders', 'data')
    .addHelpText(
      'after',
      `
Exit code: 0 done, 1 the definition cannot be written, 2 wrong usage.`,
    )
    .action(start);
}

async function start(slug: string, options: { from: string; data: string; roster?: string }): Promise<void> {
  const { from, data, roster } = options;
  const file = path.posix.join(data, slug, 'game.json');
  if (!(await isAbsent(file)))
    throw new CommandError(
      `${file} exists, and is not overwritten: edit it, choose another slug, or remove it to start again`,
    );
  // `My Game` from `my-game`.
  const title = slug.replace(/(^|-)(.)/g, (_, begin, letter) => (begin && ' ') + letter.toUpperCase());
  const { text, report, into } = await startFromDump(title, from, roster);
  await makeFolder(path.dirname(file));
  await orCommandError(writeFile(file, text), (reason) => `${file} cannot be written: ${reason}`);
  const where = data === 'data' ? '' : ` --data '${data}'`;
  const lines = [
    ...report,
    `written: ${file}`,
    '',
    'next:',
    `  gamedata add ${slug} <build> --from '${from.replaceAll("'", String.raw`'\''`)}' --released-at <time>${into && ` --into ${into}`}${where}`,
    `  write ${data}/${slug}/<build>/pull_planner.json, which every game must have`,
    ...['try', 'check', 'build'].map((command) => `  gamedata ${command} ${slug}${where}`),
    `  remove "draft" from ${file} when the mapping is right: until then, builds may change`,
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

/** Proposes a definition for a dump. @param wanted the table of the roster */
export async function startFromDump(title: string, folder: string, wanted?: string) {
  const { tables, notes: unread } = await readDumpTables(folder);
  const seen = [`${countOf(tables.length, 'table')}:`, ...tables.map(describeTable), ...unread];
  const ranked = rankRosters(tables);
  const roster = ranked.find(({ table }) => table.name === (wanted ?? table.name));
  if (roster === undefined) {
    const what = wanted === undefined ? `no table of ${folder} has` : `--roster ${wanted} is no table with`;
    const able = ranked.map(({ table }) => table.name).join(', ') || 'none: write game.json by hand';
    throw new CommandError(
      [`${what} an id and a name for each row; such tables: ${able}`, ...seen].join('\n'),
    );
  }
  const { mapping, keys, notes } = mapRoster(roster);
  // A file next to `build.json` that no table declares is served unchanged, so the dump gets its own folder.
  const into = tables.some(({ files }) => isKnownFile(files)) ? 'raw' : '';
  // Only what the proposal reads is declared.
  const named = JSON.stringify(mapping).matchAll(/\$tables\.(\w+)/g);
  const read = new Set([mapping.from, ...Array.from(named, ([, name]) => name)]);
  const declared = tables.filter(({ name }) => read.has(name));
  const definition = {
    $schema: '../game.schema.json',
    title,
    draft: true,
    language: roster.names.texts[0].language,
    tables: Object.fromEntries(
      declared.map(({ name, files, at, options }) => [
        name,
        { files: path.posix.join(into, files), at: at || undefined, key: keys.get(name), ...options },
      ]),
    ),
    roster: mapping,
    datasets: {},
  };
  const comments = [
    'Proposed by gamedata new. Correct what is wrong: gamedata try shows the result of an expression.',
    ...notes,
    'Every game has the dataset "pull_planner": the cost of a pull, pity and guarantees, such as {"currency": "Gem", "cost_per_pull": 160, "pity": 90}.',
    'Write pull_planner.json in the folder of your first build (later builds inherit it), or map it in "datasets".',
    'A dataset is a record per row: "items": { "from": "items", "entry": "{ \'id\': $key, \'name\': name }" }, or one expression over all tables.',
  ].map((line) => `// ${line.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')}\n`);
  const others = ranked.filter((each) => each !== roster).slice(0, 2);
  return {
    text: `${comments.join('')}${JSON.stringify(definition, null, 2)}\n`,
    report: [
      ...seen,
      `roster: ${roster.table.name}`,
      ...mapping.entry.map((line) => `  ${line}`),
      ...others.map(({ table }) => `  or --roster ${table.name}: ${countOf(table.rows.size, 'row')}`),
    ],
    into,
  };
}

/** Attributes with a meaning of their own. */
const TAKEN = new Set<string>([...RESERVED_ATTRIBUTES, 'id', 'name', 'rarity', 'attack', 'stats']);

/** Proposes `roster` in game.json, the keys of the tables that it reads, and notes for a person. */
function mapRoster(roster: RosterCandidate) {
  const { table, id, names, rarity } = roster;
  const stats = render(roster.stats, ', ');
  const isMarked = names.texts[0].values.some((text) => stripMarkup(String(text)) !== text);
  const attributes = new Map([['id', id.text]]);
  for (const [at, { language, expression }] of names.texts.entries())
    attributes.set(at === 0 ? 'name' : `name_${language}`, isMarked ? `$strip(${expression})` : expression);
  if (rarity?.stars !== undefined) attributes.set('rarity', rarity.stars);
  if (stats !== '') attributes.set('stats', `{ ${stats} }`);
  const others = table.columns.filter(
    (column) => ![id.column, names.column, rarity?.column].includes(column),
  );
  for (const column of others.filter(isClass).slice(0, 6)) {
    const name = snakeCase(column.path[0] ?? '');
    if (!name.startsWith('name_')) attributes.set(TAKEN.has(name) ? `${name}_text` : name, column.expression);
  }
  const entry = `{\n  ${render([...attributes], ',\n  ')}\n}`;
  const notes = [
    !names.readable && 'The names are keys, whose texts were not found: join them with $text.',
    !rarity?.stars && "'rarity' must be a whole number: map each value with $get({…: 1}, field).",
    'stats are meant to be those at the highest level without equipment: correct which level they are of.',
  ];
  const [{ expression, values }] = names.texts;
  const isNamed = values.filter((name) => name !== '').length === table.rows.size;
  const keys = new Map(names.texts.flatMap(({ key }) => (key ? [key] : [])));
  return {
    mapping: {
      from: table.name,
      where: isNamed ? undefined : `$exists(${expression}) and ${expression} != ''`,
      entry: entry.split('\n'),
    },
    keys,
    notes: notes.flatMap((note) => note || []),
  };
}

function render(pairs: readonly Pair[], between: string): string {
  return pairs.map(([name, expression]) => `'${name}': ${expression}`).join(between);
}

/** Whether a column divides the rows into a few classes, such as an element or a weapon type. */
function isClass({ kind, path: steps, last, values }: DumpColumn): boolean {
  const count = new Set(values).size;
  const isText = kind === 'text' && steps.length === 1 && !/^ids?$/.test(last.at(-1) ?? '');
  return isText && count > 1 && count <= Math.min(24, values.length / 2);
}
