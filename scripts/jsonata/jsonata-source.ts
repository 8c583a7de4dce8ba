import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { compileFunction } from 'node:vm';
import type jsonata from 'jsonata';

/**
 * Loads JSONata from its package's source, but for two faults. Where it groups an empty list it puts a nothing into it, which every later
 * expression would find in the tables: it is put into a list of its own. And it copies what stands before `??` and `?:` as JSON,
 * which knows no regex and no function; the copy of a regex matches everywhere, without end. `copyOf` keeps both.
 *
 * @param change makes further changes to the source; package.json names the one version that this was tried with
 * @returns a JSONata beside those that were loaded before
 */
export function loadJsonata(change = (source: string) => source): typeof jsonata {
  const filename = createRequire(import.meta.url).resolve('jsonata');
  const source = readFileSync(filename, 'utf8')
    .replace('input.push(undefined);', 'input = [undefined];')
    .replaceAll('JSON.parse(JSON.stringify(left))', 'copyOf(left)');
  const module = { exports: {} };
  compileFunction(change(source), ['module', 'exports', 'copyOf'], { filename })(
    module,
    module.exports,
    copyOf,
  );
  return module.exports as typeof jsonata;
}

/** Copies a part of a parsed expression, with all objects and lists in it. */
function copyOf(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(copyOf);
  if (typeof part !== 'object' || part === null || part instanceof RegExp) return part;
  return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, copyOf(value)]));
}

let patient: typeof jsonata | undefined;

/** JSONata with its promises, one for all: few games have an expression that needs it, and loading it takes a worker 10 ms. */
export function patientJsonata(): typeof jsonata {
  patient ??= loadJsonata();
  return patient;
}
