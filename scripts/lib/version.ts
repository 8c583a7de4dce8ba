import { readFileSync } from 'node:fs';

/** Seen from the compiled files. */
const PACKAGE_FILE = new URL('../../../package.json', import.meta.url);

/** The version of the package. */
export function readVersion(): string {
  return (JSON.parse(readFileSync(PACKAGE_FILE, 'utf8')) as { version: string }).version;
}
