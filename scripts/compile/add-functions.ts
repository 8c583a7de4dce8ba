import { LIBRARY } from './library/library.ts';
import type { Parsed } from './jsonata.ts';
import { TIMELESS } from './timeless.ts';

/** Adds the functions of the library to a parsed expression, and replaces those that depend on the time. */
export function addFunctions(parsed: Parsed): Parsed {
  for (const [name, implementation] of Object.entries(LIBRARY)) parsed.registerFunction(name, implementation);
  for (const { name, implementation, signature } of TIMELESS)
    parsed.registerFunction(name, implementation, signature);
  return parsed;
}
