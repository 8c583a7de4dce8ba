import { stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Command } from 'commander';
import { slugArgument } from '../../commands/options.ts';
import { REQUIRED_DATASETS } from '../../format/dist-format.ts';
import { isKnownFile } from '../../read/files.ts';
import { CommandError, makeFolder, orCommandError } from '../../system.ts';
import { countOf } from '../../text.ts';
import { mapRoster, type RosterCandidate, rankRosters } from './propose.ts';
import { describeTable, readTables } from './tables.ts';

interface NewOptions {
  from: string;
  data: string;
  roster?: string;
}

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
Exit code: 0 done, 1 the definition cannot be written, 2 wrong usage.

Examples:
  gamedata new my-game --from ~/dumps/1.0                   a mapping for the characters of a dump
  gamedata new my-game --from ~/dumps/1.0 --roster units    the same, with another table as the roster`,
    )
    .action(start);
}

async function start(slug: string, { from, data, roster }: NewOptions): Promise<void> {
  const file = path.posix.join(data, slug, 'game.json');
  // Reading a dump can take a minute.
  if ((await stat(file).catch(() => undefined)) !== undefined)
    throw new CommandError(
      `${file} exists, and is not overwritten: edit it, choose another slug, or remove it to start again`,
    );
  // `My Game` from `my-game`.
  const title = slug.replace(/(^|-)(.)/g, (_, begin, letter) => (begin && ' ') + letter.toUpperCase());
  const { text, report, into } = await startFromDump(title, from, roster);
  await makeFolder(path.dirname(file));
  const writing = writeFile(file, text, { flag: 'wx' });
  await orCommandError(writing, (reason) => `${file} cannot be written: ${reason}`);
  const where = data === 'data' ? '' : ` --data '${data}'`;
  const lines = [
    ...report,
    `written: ${file}`,
    '',
    'next:',
    `  gamedata add ${slug} <build> --from '${from}' --released-at <time>${into && ` --into ${into}`}${where}`,
    ...REQUIRED_DATASETS.map(
      (key) => `  write ${data}/${slug}/<build>/${key}.json, which every game must have`,
    ),
    ...['try', 'check', 'build'].map((command) => `  gamedata ${command} ${slug}${where}`),
    `  remove "draft" from ${file} when the mapping is right: until then, builds may change`,
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

/** Proposes a definition for a dump. @param wanted the table of the roster */
export async function startFromDump(title: string, folder: string, wanted?: string) {
  const { tables, notes: unread } = await readTables(folder);
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
  const { mapping, keys, notes } = mapRoster(roster, tables);
  // A file next to `build.json` that no table declares is served unchanged, so the dump gets its own folder.
  const into = tables.some(({ files }) => isKnownFile(files)) ? 'raw' : '';
  // Only what the proposal reads is declared.
  const named = JSON.stringify(mapping).match(/(?<=\$tables\.)\w+/g) ?? [];
  const read = new Set([mapping.from, ...named]);
  const declared = tables.filter(({ name }) => read.has(name));
  const definition = {
    $schema: '../game.schema.json',
    title,
    draft: true,
    language: roster.names.language,
    tables: Object.fromEntries(
      declared.map(({ name, files, at, options }) => {
        const more = { ...(at !== '' && { at }), ...(keys.has(name) && { key: keys.get(name) }), ...options };
        const place = path.posix.join(into, files);
        return [name, Object.keys(more).length === 0 ? place : { files: place, ...more }];
      }),
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
  return {
    text: `${comments.join('')}${JSON.stringify(definition, null, 2)}\n`,
    report: [...seen, ...describeRosters(roster, ranked)],
    into,
  };
}

function describeRosters(chosen: RosterCandidate, ranked: readonly RosterCandidate[]): string[] {
  const { table, id, names, rarity, stats } = chosen;
  const parts = [
    `id ${id === 'key' ? '$key' : id.expression}`,
    `name ${names.column.expression}${names.readable ? '' : ', whose texts were not found'}`,
    names.translations.length > 0 && `also in ${names.translations.map(([language]) => language).join(', ')}`,
    rarity && `rarity ${rarity.column.expression}`,
    stats.length > 0 && `stats ${stats.map(([, expression]) => expression).join(', ')}`,
  ];
  const others = ranked.filter((each) => each !== chosen).slice(0, 2);
  return [
    `roster: ${table.name} (${parts.filter(Boolean).join('; ')})`,
    ...others.map((each) => `  or --roster ${each.table.name}: ${countOf(each.table.rows.size, 'row')}`),
  ];
}
