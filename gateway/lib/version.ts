import { readFileSync } from 'node:fs';

/** Beside the sources, and two folders above the compiled files. */
const CANDIDATES = ['../../package.json', '../../../package.json'];

/** The version of the package. */
export function readVersion(): string {
  for (const candidate of CANDIDATES) {
    try {
      const file = JSON.parse(readFileSync(new URL(candidate, import.meta.url), 'utf8')) as {
        version: string;
      };
      return file.version;
    } catch {}
  }
  throw new Error('no package.json beside the sources or above the compiled files');
}
