import { closest, distance } from 'fastest-levenshtein';
import { LIBRARY } from './library/library.ts';

/** JSONata's own functions. The package has no list of them. */
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

/** Names that differ in more characters are not typing errors. */
const MAX_EDITS = 2;

/**
 * The message for a call of a name that is not a function, with the function that may be intended.
 *
 * @param helpers the functions that the game defines
 */
export function suggestFunction(name: string, helpers: Iterable<string> = []): string {
  const nearest = closest(name, [...helpers, ...FUNCTIONS]);
  const isNear = distance(name, nearest) <= MAX_EDITS && nearest !== name;
  return `$${name} is not a function${isNear ? `; did you mean $${nearest}?` : ''}`;
}
