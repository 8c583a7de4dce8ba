import type jsonata from 'jsonata';
import { readMillis } from './jsonata.ts';
import { errorOf } from '../lib/system-error.ts';

/** A function that replaces JSONata's own of that name in every expression; `signature` is in JSONata's notation. */
interface Replacement {
  name: string;
  implementation: Parameters<jsonata.Expression['registerFunction']>[1];
  signature?: string;
}

/**
 * Replacements for JSONata's functions whose result depends on the time or the machine. They fail in that case, because a build must be the
 * same at any time and on any machine.
 */
export const TIMELESS: readonly Replacement[] = [
  ...['now', 'millis', 'random', 'shuffle'].map((name) => ({
    name,
    implementation: () => refuse(`$${name}`, 'returns another result every time'),
  })),
  {
    name: 'toMillis',
    implementation(time: string | undefined, picture: string | undefined) {
      requireWholeTime(time, picture);
      try {
        return readMillis(time, picture);
      } catch (error) {
        // Its position is one in the engine's own expression.
        throw new Error(errorOf(error).message);
      }
    },
    signature: '<s-s?:n>',
  },
];

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
