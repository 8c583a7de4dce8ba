import { createReadStream, createWriteStream, existsSync, statSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { DatabaseSync } from '@photostructure/sqlite';
import { Command, InvalidArgumentError, type Option } from 'commander';
import { CommandError, makeFolder, orCommandError } from '../../scripts/system.ts';
import { readEmail } from '../store/email.ts';
import { isPostgres, openStore } from '../store/open.ts';
import { nameStore, type Store } from '../store/sql.ts';
import { DATA_FILE, KEY_FILE } from '../store/sqlite.ts';
import { settingOption } from './settings.ts';

/** The options of all commands on a store. */
export interface StoreFlags {
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
  /** The arguments and options of examples. */
  examples?: readonly string[];
  run(store: Store, options: Options & StoreFlags, ...args: never[]): Promise<Report>;
}

/** Adds a command that opens the store, works on it, closes it and prints the report. */
export function addCommand<Options = object>(
  parent: Command,
  name: string,
  { about, args = [], options = [], note, examples = [], run }: StoreCommand<Options>,
): void {
  const command = parent.command(name).description(about).addOption(settingOption('store'));
  command.option('--json', 'print JSON');
  for (const [usage, description, read = (text: string) => text as unknown] of args) {
    const argument = command.createArgument(usage, description);
    command.addArgument(typeof read === 'function' ? argument.argParser(read) : argument.choices(read));
  }
  for (const option of options) command.addOption(option);
  if (note !== undefined) command.addHelpText('after', `\n${note}`);
  const calls = examples.map((rest) => `\n  gateway ${parent.name()} ${name} ${rest}`);
  if (calls.length > 0) command.addHelpText('after', `\nExamples:${calls.join('')}`);
  command.action(async (...given: unknown[]) => {
    const chosen = given.at(-2) as Options & StoreFlags;
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

/** A report on one thing: a table of its values, then one of each list in it. */
export function reportOn(report: object): Report {
  const entries = Object.entries(report);
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
  const lines = texts.map((row) => row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  '));
  return lines.map((line) => line.trimEnd()).join('\n');
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
  const command = new Command('store').description('back up and restore a store');
  const add = (name: string, about: string, file: string, run: typeof backUp) =>
    command
      .command(name)
      .description(about)
      .argument('<file>', file)
      .addOption(settingOption('store'))
      .action((given: string, { store }: StoreFlags) => run(given, store));
  add('backup', 'write all that the store holds into a new file', 'a file that does not exist', backUp);
  add('restore', 'make a store from a backup, in a folder that has none', 'the backup', restore);
  return command;
}

/** @throws CommandError with the command of PostgreSQL that does the same */
function refusePostgres(store: string, command: string): void {
  if (!isPostgres(store)) return;
  throw new CommandError(`PostgreSQL has a tool for that: ${command} ${nameStore(store)}`, 2);
}

async function backUp(file: string, store: string): Promise<void> {
  refusePostgres(store, `pg_dump --format custom --file ${file}`);
  if (existsSync(file)) throw new CommandError(`${file} exists; name a new file`);
  if (!existsSync(path.join(store, DATA_FILE))) throw new CommandError(`there is no store in ${store}`);
  await withStore(store, async (opened) => {
    // The file gets its final name when it is complete.
    const temporary = `${file}.part`;
    await rm(temporary, { force: true });
    // SQLite would create it readable by others.
    const made = writeFile(temporary, '', { mode: 0o600 });
    await orCommandError(made, (reason) => `cannot write ${temporary}: ${reason}`);
    await opened.fast.run('VACUUM INTO $1', [temporary]);
    await rename(temporary, file);
  });
  const key = path.join(store, KEY_FILE);
  print(
    `${file} has ${statSync(file).size} bytes; keep it apart from ${key}, which a restored store needs too`,
  );
}

async function restore(file: string, store: string): Promise<void> {
  refusePostgres(store, `pg_restore --exit-on-error --single-transaction ${file} --dbname`);
  const data = path.join(store, DATA_FILE);
  if (existsSync(data))
    throw new CommandError(`${store} has a store; name another folder, or move that one away`);
  if (!existsSync(file)) throw new CommandError(`${file} does not exist`);
  checkBackup(file);
  await orCommandError(makeFolder(store, 0o700), (reason) => `cannot make the folder ${store}: ${reason}`);
  const temporary = `${data}.part`;
  await pipeline(createReadStream(file), createWriteStream(temporary, { mode: 0o600 }));
  await rename(temporary, data);
  await withStore(store, async () => {}).catch(async (error: unknown) => {
    for (const end of ['', '-wal', '-shm']) await rm(`${data}${end}`, { force: true });
    throw error;
  });
  print(`${store} is restored from ${file}`);
}

/** @throws CommandError if a file is not a complete backup */
function checkBackup(file: string): void {
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
