import type jsonata from 'jsonata';
import { synchronousJsonata } from '../jsonata/synchronous-jsonata.ts';

/** A function that every expression gets in the place of JSONata's own of that name; `signature` as JSONata writes it. */
interface Replacement {
  name: string;
  implementation: Parameters<jsonata.Expression['registerFunction']>[1];
  signature?: string;
}

const refused = ['now', 'millis', 'random', 'shuffle'].map((name): Replacement => {
  const implementation = () => refuse(`$${name}`, 'gives another result every time');
  return { name, implementation };
});

/**
 * JSONata's functions whose result would be another at another time or on another machine, made to refuse that: a build is to be the
 * same whenever and wherever it is made.
 */
export const TIMELESS: readonly Replacement[] = [
  ...refused,
  { name: 'toMillis', implementation: readTime, signature: '<s-s?:n>' },
];

const toMillis = synchronousJsonata('$toMillis($time, $picture)');

function readTime(time: string | undefined, picture: string | undefined): unknown {
  if (picture !== undefined && !namesYear(picture))
    refuse('$toMillis', `takes what "${picture}" does not name, the year or the day, from today`);
  if (time !== undefined && picture === undefined && WITHOUT_ZONE.test(time))
    refuse('$toMillis', `takes "${time}", which names no zone, for a time in the zone of the machine`);
  try {
    return toMillis.evaluate(undefined, { time, picture });
  } catch (error) {
    // Its position would be one in the expression above.
    throw new Error((error as Error).message);
  }
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
