import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { compileFunction } from 'node:vm';
import type jsonata from 'jsonata';

/**
 * Loads JSONata from its package's source, but for one fault: where it groups an empty list it puts a nothing into it, which every later
 * expression would find in the tables. It is put into a list of its own.
 *
 * @param change what else of the source is another; package.json names the one version that this was tried with
 * @returns a JSONata beside those that were loaded before
 */
export function loadJsonata(change = (source: string) => source): typeof jsonata {
  const filename = createRequire(import.meta.url).resolve('jsonata');
  const source = readFileSync(filename, 'utf8').replace('input.push(undefined);', 'input = [undefined];');
  const module = { exports: {} };
  compileFunction(change(source), ['module', 'exports'], { filename })(module, module.exports);
  return module.exports as typeof jsonata;
}

let patient: typeof jsonata | undefined;

/** JSONata with its promises, one for all: few games have an expression that needs it, and loading it takes a worker 10 ms. */
export function patientJsonata(): typeof jsonata {
  patient ??= loadJsonata();
  return patient;
}
