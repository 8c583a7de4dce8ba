import { closest, distance } from 'fastest-levenshtein';
import { LIBRARY } from './library/library.ts';

/** JSONata's own, which it does not list anywhere. */
const JSONATA = `
  abs append assert average base64decode base64encode boolean ceil contains count decodeUrl
  decodeUrlComponent distinct each encodeUrl encodeUrlComponent error eval exists filter floor formatBase
  formatInteger formatNumber fromMillis join keys length lookup lowercase map match max merge min not
  number pad parseInteger power reduce replace reverse round sift single sort split spread sqrt string
  substring substringAfter substringBefore sum toMillis trim type uppercase zip`
  .trim()
  .split(/\s+/);

/** The functions that an expression may call, without `$`. */
export const FUNCTIONS: readonly string[] = [...Object.keys(LIBRARY), ...JSONATA];

/** Farther names are no slips of the pen. */
const MOST_EDITS = 2;

/** What is wrong with the call of a name that is no function, and which one may have been meant. */
export function suggestFunction(name: string): string {
  const nearest = closest(name, FUNCTIONS);
  const meant = distance(name, nearest) <= MOST_EDITS && nearest !== name;
  return `$${name} is no function${meant ? `; did you mean $${nearest}?` : ''}`;
}
