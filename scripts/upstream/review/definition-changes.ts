import { isDeepStrictEqual } from 'node:util';
import { isObject, type Json } from '../../format/dist-format.ts';
import { pointerTo } from '../../format/json.ts';

/** What game.json says about publishing without a person: where builds come from, what holds them back, and what is corrected. */
const DECIDING = ['source', 'checks', 'corrections', 'successor', 'draft'];
/** Of `source`, what only leaves columns out of files. */
const HARMLESS = ['trim', 'licence'];

/**
 * Says what a change of game.json changes in what is published without a person.
 *
 * @param before undefined for a new game, about which its review says where it comes from
 */
export function describeDefinitionChanges(before: Json | undefined, after: Json | undefined): string[] {
  if (!isObject(before) || !isObject(after)) return [];
  return DECIDING.flatMap((member) => {
    if (member === 'source' && isObject(before.source) && isObject(after.source)) {
      const [then, now] = [before.source, after.source];
      const names = [...new Set([...Object.keys(then), ...Object.keys(now)])];
      const deciding = names.filter((name) => !HARMLESS.includes(name));
      return deciding.flatMap((name) => changesIn(`/source${pointerTo('', name)}`, then[name], now[name]));
    }
    return changesIn(`/${member}`, before[member], after[member]);
  });
}

function changesIn(place: string, before: Json | undefined, after: Json | undefined): string[] {
  if (isDeepStrictEqual(before, after)) return [];
  if (isObject(before) && isObject(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return names.flatMap((name) => changesIn(pointerTo(place, name), before[name], after[name]));
  }
  const text = (value: Json | undefined) => (value === undefined ? 'nothing' : JSON.stringify(value));
  return [`${place}: ${text(before)} → ${text(after)}`];
}
