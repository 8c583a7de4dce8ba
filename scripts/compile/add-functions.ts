import type jsonata from 'jsonata';
import type { Engine } from '../jsonata/engine.ts';
import { LIBRARY } from './library/library.ts';
import { timelessFunctions } from './timeless.ts';

/** Adds the functions of the library to a parsed expression, and replaces those that depend on the time. */
export function addFunctions<T extends Pick<jsonata.Expression, 'registerFunction'>>(
  parsed: T,
  engine: Engine,
): T {
  for (const [name, implementation] of Object.entries(LIBRARY)) parsed.registerFunction(name, implementation);
  for (const { name, implementation, signature } of timelessFunctions(engine))
    parsed.registerFunction(name, implementation, signature);
  return parsed;
}
