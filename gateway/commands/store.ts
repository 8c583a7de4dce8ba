import { existsSync, mkdirSync, statSync } from 'node:fs';
import { copyFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { Command, InvalidArgumentError } from 'commander';
import { CommandError } from '../../scripts/system.ts';
import { readEmail } from '../store/email.ts';
import { isPostgres, nameStore, openStore, setMeta } from '../store/open.ts';
import type { Store } from '../store/sql.ts';
import { DATA_FILE, KEY_FILE } from '../store/sqlite.ts';
import { settingOption } from './settings.ts';

/** Milliseconds since 1970. */
export type Clock = () => number;

/** The options of every command on a store. */
export interface StoreOptions {
  store: string;
  json?: true;
}

/** Adds `--store` and `--json`. */
export function addStoreOptions(command: Command): Command {
  return command.addOption(settingOption('store')).option('--json', 'print JSON');
}

/** Opens the store, runs work on it, and closes it. */
export async function withStore<T>(address: string, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore(address);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** Parses an email address. */
export function parseEmail(text: string): string {
  const email = readEmail(text);
  if (email !== undefined) return email;
  throw new InvalidArgumentError('Expected an email address such as ada@example.org.');
}

/** Prints a report as a table of names and values, or as JSON. */
export function printReport(report: object, json: true | undefined): void {
  const lines = () =>
    formatTable(Object.entries(report).map(([name, value]) => [name, String(value ?? '-')]));
  print(json ? JSON.stringify(report) : lines());
}

/** Formats rows as lines with aligned columns. */
export function formatTable(rows: string[][]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return lines.join('\n');
}

/** Prints a text and a line end. */
export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** `gateway store`: backups, also while gateways run on the store. */
export function storeCommand(): Command {
  const command = new Command('store');
  command
    .command('backup')
    .description('write all that the store holds into a new file, also while gateways run')
    .argument('<file>', 'the file to write, which must not exist')
    .addOption(settingOption('store'))
    .addHelpText(
      'after',
      `\nExamples:\n  gateway store backup /backups/store-2030-05-01.sqlite\n  ${PG_DUMP('store.dump')}`,
    )
    .action(backUp);
  command
    .command('restore')
    .description('make a store from a backup, in a folder that has none')
    .argument('<file>', 'the backup')
    .addOption(settingOption('store'))
    .addHelpText(
      'after',
      `\nExamples:\n  gateway store restore /backups/store-2030-05-01.sqlite --store var/store\n  ${PG_RESTORE('store.dump')}`,
    )
    .action(restore);
  return command;
}

const PG_DUMP = (file: string, store = 'postgres://…') => `pg_dump --format custom --file ${file} ${store}`;
const PG_RESTORE = (file: string, store = 'postgres://…') =>
  `pg_restore --exit-on-error --single-transaction --dbname ${store} ${file}`;

async function backUp(file: string, { store }: { store: string }): Promise<void> {
  if (isPostgres(store))
    throw new CommandError(`PostgreSQL has a tool for that: ${PG_DUMP(file, nameStore(store))}`, 2);
  if (existsSync(file)) throw new CommandError(`${file} exists; name a new file`);
  if (!existsSync(path.join(store, DATA_FILE))) throw new CommandError(`there is no store in ${store}`);
  await withStore(store, async (opened) => {
    // The file gets its name when it is complete.
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
  if (isPostgres(store))
    throw new CommandError(`PostgreSQL has a tool for that: ${PG_RESTORE(file, nameStore(store))}`, 2);
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

/** @throws CommandError if a file is not a whole backup */
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
