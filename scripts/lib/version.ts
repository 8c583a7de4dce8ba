import { readFileSync } from 'node:fs';

/** Relative to the compiled file. */
const PACKAGE_FILE = new URL('../../../package.json', import.meta.url);

/** Returns the version of the package. */
export function readVersion(): string {
  return (JSON.parse(readFileSync(PACKAGE_FILE, 'utf8')) as { version: string }).version;
}
