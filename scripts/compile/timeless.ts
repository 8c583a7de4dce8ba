import type jsonata from 'jsonata';
import type { Engine } from '../jsonata/engine.ts';
import { errorOf } from '../lib/system-error.ts';

/** A function that replaces JSONata's own of that name in every expression; `signature` is in JSONata's notation. */
interface Replacement {
  name: string;
  implementation: Parameters<jsonata.Expression['registerFunction']>[1];
  signature?: string;
}

const REFUSED = ['now', 'millis', 'random', 'shuffle'].map((name): Replacement => {
  const implementation = () => refuse(`$${name}`, 'returns another result every time');
  return { name, implementation };
});

/**
 * Replacements for JSONata's functions whose result depends on the time or the machine. They fail in that case, because a build must be the
 * same at any time and on any machine.
 */
export function timelessFunctions(engine: Engine): Replacement[] {
  const implementation = (time: string | undefined, picture: string | undefined) => {
    requireWholeTime(time, picture);
    try {
      const millis = engine.toMillis(time, picture);
      return millis instanceof Promise ? millis.catch(failWithoutPosition) : millis;
    } catch (error) {
      return failWithoutPosition(error);
    }
  };
  return [...REFUSED, { name: 'toMillis', implementation, signature: '<s-s?:n>' }];
}

/** Rethrows an error without its position, which is one in the engine's own expression. */
function failWithoutPosition(error: unknown): never {
  throw new Error(errorOf(error).message);
}

/** @throws if the time depends on today's date or on the machine's time zone */
function requireWholeTime(time: string | undefined, picture: string | undefined): void {
  if (picture !== undefined && !namesYear(picture))
    refuse('$toMillis', `uses today's date for the year or day that "${picture}" does not contain`);
  if (time !== undefined && picture === undefined && WITHOUT_ZONE.test(time))
    refuse('$toMillis', `reads "${time}", which has no time zone, as a time in the zone of the machine`);
}

/** ECMA-262, Date.parse: "when the UTC offset representation is absent, […] date-time forms are interpreted as a local time". */
const WITHOUT_ZONE = /T[\d:.]+$/;

/** Whether a picture contains the year: then JSONata sets missing parts to zero. `[[` is an escaped bracket (XPath, 9.8.4.1). */
function namesYear(picture: string): boolean {
  const markers = picture.matchAll(/\[\[|\[([^\]]*)\]/g);
  return [...markers].some(([, marker]) => marker?.trimStart().startsWith('Y'));
}

function refuse(name: string, why: string): never {
  throw new Error(`${name} ${why}, but a build must be the same at any time and on any machine`);
}
