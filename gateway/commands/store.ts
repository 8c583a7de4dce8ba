import { existsSync, mkdirSync, statSync } from 'node:fs';
import { copyFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { Command, InvalidArgumentError, type Option } from 'commander';
import { CommandError } from '../../scripts/system.ts';
import { readEmail } from '../store/email.ts';
import { isPostgres, openStore, setMeta } from '../store/open.ts';
import { nameStore, type Store } from '../store/sql.ts';
import { DATA_FILE, KEY_FILE } from '../store/sqlite.ts';
import { settingOption } from './settings.ts';

/** ms since 1970. */
export type Clock = () => number;

/** The options of all commands on a store. */
export interface StoreOptions {
  store: string;
  json?: true;
}

/** The output of a command: the text, or with `--json` the JSON, if there is any. An empty text prints nothing. */
export interface Report {
  text: string;
  json?: unknown;
}

/** A command on a store, with the texts of its help. */
export interface StoreCommand<Options> {
  about: string;
  /** The arguments: usage, description, and allowed values or parser. */
  args?: readonly (readonly [
    usage: string,
    about: string,
    read?: readonly string[] | ((text: string) => unknown),
  ])[];
  options?: readonly Option[];
  /** Shown by the help before the examples. */
  note?: string;
  /** The arguments and options of examples; made from the arguments by default. */
  examples?: readonly string[];
  run(store: Store, options: Options & StoreOptions, ...args: never[]): Promise<Report>;
}

/** Arguments as examples show them. */
const EXAMPLES: Readonly<Record<string, string>> = {
  '<email>': 'ada@example.org',
  '<prefix>': 'gdr_k3x7p2qa',
  '<id>': '3',
  '<switch>': 'on',
  '<member>': 'ko-fi:Zc1xq0xJ5o3k8Yb2m7h9Qw',
  '<topics...>': 'genshin-impact arknights',
};

/** Adds a command that opens the store, works on it, closes it and prints the report. */
export function addCommand<Options = object>(
  parent: Command,
  name: string,
  { about, args = [], options = [], note, examples, run }: StoreCommand<Options>,
): void {
  const words = args.filter(([usage]) => usage.startsWith('<')).map(([usage]) => EXAMPLES[usage] ?? usage);
  const calls = (examples ?? [words.join(' ')]).map((rest) => `gateway ${parent.name()} ${name} ${rest}`);
  const command = parent.command(name).description(about).addOption(settingOption('store'));
  command.option('--json', 'print JSON');
  for (const [usage, description, read = (text: string) => text as unknown] of args) {
    const argument = command.createArgument(usage, description);
    command.addArgument(typeof read === 'function' ? argument.argParser(read) : argument.choices(read));
  }
  for (const option of options) command.addOption(option);
  const head = note === undefined ? '' : `\n${note}\n`;
  command.addHelpText(
    'after',
    `${head}\nExamples:\n${calls.map((call) => `  ${call.trimEnd()}`).join('\n')}`,
  );
  command.action(async (...given: unknown[]) => {
    const chosen = given.at(-2) as Options & StoreOptions;
    const work = (store: Store) => run(store, chosen, ...(given.slice(0, -2) as never[]));
    const { text, json } = await withStore(chosen.store, work);
    const printed = chosen.json && json !== undefined ? JSON.stringify(json) : text;
    if (printed !== '') print(printed);
  });
}

export async function withStore<T>(address: string, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore(address);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** @throws InvalidArgumentError */
export function parseEmail(text: string): string {
  const email = readEmail(text);
  if (email !== undefined) return email;
  throw new InvalidArgumentError('Expected an email address such as ada@example.org.');
}

/** A report on one thing: a table of its values, then one of each list in it. @param shown what the text has; all by default */
export function reportOn(report: object, shown: object = report): Report {
  const entries = Object.entries(shown);
  const lists = entries.filter(([, value]) => isRecords(value));
  const tables = [
    entries.filter(([, value]) => !isRecords(value)),
    ...lists.filter(([, list]) => list.length > 0).map(([, list]) => rowsOf(list)),
  ];
  return { text: tables.map(formatTable).join('\n\n'), json: report };
}

/** A report on a list: a table, or a text if it is empty. */
export function reportList(list: readonly object[], none: string): Report {
  return { text: list.length === 0 ? none : formatTable(rowsOf(list)), json: list };
}

const isRecords = (value: unknown) => Array.isArray(value) && typeof (value[0] ?? {}) === 'object';

const rowsOf = (list: readonly object[]): unknown[][] => [
  Object.keys(list[0] ?? {}),
  ...list.map((each) => Object.values(each)),
];

/** Formats rows as lines with aligned columns. */
export function formatTable(rows: readonly (readonly unknown[])[]): string {
  const texts = rows.map((row) => row.map(formatCell));
  const widths = (texts[0] ?? []).map((_, column) =>
    Math.max(...texts.map((row) => row[column]?.length ?? 0)),
  );
  return texts
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** No value is shown as `-`, true and false as yes and no. */
function formatCell(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.join(' ') || '-';
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '-');
}

export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** `gateway store`: backups, also while gateways use the store. */
export function storeCommand(): Command {
  const command = new Command('store');
  command
    .command('backup')
    .description('write all that the store holds into a new file, also while gateways run')
    .argument('<file>', 'the file to write, which must not exist')
    .addOption(settingOption('store'))
    .action(backUp);
  command
    .command('restore')
    .description('make a store from a backup, in a folder that has none')
    .argument('<file>', 'the backup')
    .addOption(settingOption('store'))
    .action(restore);
  return command;
}

/** @throws CommandError with the command of PostgreSQL that does the same */
function refusePostgres(store: string, command: string): void {
  if (!isPostgres(store)) return;
  throw new CommandError(`PostgreSQL has a tool for that: ${command} ${nameStore(store)}`, 2);
}

async function backUp(file: string, { store }: { store: string }): Promise<void> {
  refusePostgres(store, `pg_dump --format custom --file ${file}`);
  if (existsSync(file)) throw new CommandError(`${file} exists; name a new file`);
  if (!existsSync(path.join(store, DATA_FILE))) throw new CommandError(`there is no store in ${store}`);
  await withStore(store, async (opened) => {
    // The file gets its final name when it is complete.
    const draft = `${file}.part`;
    await rm(draft, { force: true });
    await opened.backup(draft);
    await rename(draft, file);
    await setMeta(opened, 'backup_at', String(opened.now()));
  });
  print(
    `${file} has ${statSync(file).size} bytes; keep it apart from ${path.join(store, KEY_FILE)}, which a restored store needs too`,
  );
}

async function restore(file: string, { store }: { store: string }): Promise<void> {
  refusePostgres(store, `pg_restore --exit-on-error --single-transaction ${file} --dbname`);
  const data = path.join(store, DATA_FILE);
  if (existsSync(data))
    throw new CommandError(`${store} has a store; name another folder, or move that one away`);
  check(file);
  mkdirSync(store, { recursive: true, mode: 0o700 });
  const draft = `${data}.part`;
  await copyFile(file, draft);
  await rename(draft, data);
  await openStore(store).then(
    (opened) => opened.close(),
    async (error: unknown) => {
      await rm(data);
      throw error;
    },
  );
  print(`${store} is restored from ${file}`);
}

/** @throws CommandError if a file is not a complete backup */
function check(file: string): void {
  if (!existsSync(file)) throw new CommandError(`${file} does not exist`);
  try {
    const database = new DatabaseSync(file, { readOnly: true });
    const { integrity_check: damage } = database.prepare('PRAGMA integrity_check(1)').get();
    database.prepare('SELECT value FROM meta').all();
    database.close();
    if (damage !== 'ok') throw new Error(String(damage));
  } catch (error) {
    throw new CommandError(`${file} is not a backup of a store: ${(error as Error).message}`);
  }
}
