import { findNearest } from '../lib/nearest.ts';
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

/**
 * The message for a call of a name that is not a function, with the function that may be intended.
 *
 * @param helpers the functions that the game defines
 */
export function suggestFunction(name: string, helpers: Iterable<string> = []): string {
  const nearest = findNearest(name, [...helpers, ...FUNCTIONS]);
  const isOther = nearest !== undefined && nearest !== name;
  return `$${name} is not a function${isOther ? `; did you mean $${nearest}?` : ''}`;
}
