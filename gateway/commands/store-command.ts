import { type Command, InvalidArgumentError, Option } from 'commander';
import { readEmail } from '../store/email.ts';
import { openStore, STORE_HELP } from '../store/open.ts';
import type { Store } from '../store/sql.ts';

/** Milliseconds since 1970. */
export type Clock = () => number;

/** The options of every command on a store. */
export interface StoreOptions {
  store: string;
  json?: true;
}

/** Adds `--store` and `--json`. */
export function addStoreOptions(command: Command): Command {
  return command
    .addOption(new Option('--store <address>', STORE_HELP).env('GATEWAY_STORE').default('var/store'))
    .option('--json', 'print JSON');
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
