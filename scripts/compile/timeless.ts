import type jsonata from 'jsonata';
import type { Engine } from '../jsonata/engine.ts';

/** A function that every expression gets in the place of JSONata's own of that name; `signature` as JSONata writes it. */
interface Replacement {
  name: string;
  implementation: Parameters<jsonata.Expression['registerFunction']>[1];
  signature?: string;
}

const REFUSED = ['now', 'millis', 'random', 'shuffle'].map((name): Replacement => {
  const implementation = () => refuse(`$${name}`, 'gives another result every time');
  return { name, implementation };
});

/**
 * JSONata's functions whose result would be another at another time or on another machine, made to refuse that: a build is to be the
 * same whenever and wherever it is made.
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

/** The position of the error would be one in the expression that the engine evaluates for this. */
function failWithoutPosition(error: unknown): never {
  throw new Error((error as Error).message);
}

/** @throws where the time depends on today or on the zone of the machine */
function requireWholeTime(time: string | undefined, picture: string | undefined): void {
  if (picture !== undefined && !namesYear(picture))
    refuse('$toMillis', `takes what "${picture}" does not name, the year or the day, from today`);
  if (time !== undefined && picture === undefined && WITHOUT_ZONE.test(time))
    refuse('$toMillis', `takes "${time}", which names no zone, for a time in the zone of the machine`);
}

/** ECMA-262, Date.parse: "when the UTC offset representation is absent, […] date-time forms are interpreted as a local time". */
const WITHOUT_ZONE = /T[\d:.]+$/;

/** Whether a picture names the year, from which on JSONata sets to zero what is left out. `[[` stands for a bracket (XPath, 9.8.4.1). */
function namesYear(picture: string): boolean {
  const markers = picture.matchAll(/\[\[|\[([^\]]*)\]/g);
  return [...markers].some(([, marker]) => marker?.trimStart().startsWith('Y'));
}

function refuse(name: string, why: string): never {
  throw new Error(`${name} ${why}, and a build has to be the same every time and everywhere`);
}
