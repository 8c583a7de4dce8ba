import type { Rule as CheckRule } from '../check/rule.ts';
import type { JsonObject } from '../format/dist-format.ts';
import type { CheckSettings } from '../read/game/definition.ts';

export type { Example } from '../check/rule.ts';

/** A number of a check that `game.json` can set: `"checks": {"roster-loss": {"max_lost_share": 0.3}}`. */
export interface Threshold {
  default: number;
  min: number;
  max: number;
  /** What the number is, for editors and the documents: "the share of characters that may disappear". */
  help: string;
}

/** The value of each threshold of a check in a game. */
export type Limits<Name extends string = string> = Readonly<Record<Name, number>>;

/** What a check says about itself that may have thresholds. `Name` are their names. */
export interface Rule<Name extends string = never> extends CheckRule {
  /** The numbers that `game.json` can set; `{}` for none. */
  thresholds: Readonly<Record<Name, Threshold>>;
}

/** The limits of a check in a game: what the game sets, and otherwise the defaults. */
export function limitsOf<Name extends string>(rule: Rule<Name>, settings: CheckSettings): Limits<Name> {
  const defaults = Object.entries<Threshold>(rule.thresholds).map(([name, threshold]) => [
    name,
    threshold.default,
  ]);
  return { ...Object.fromEntries(defaults), ...settings[rule.name] };
}

/** Makes the records of an example: with distinct ids and names, and with the attributes that `more` returns for each. */
export function exampleRecords(
  count: number,
  more: (index: number) => JsonObject = () => ({}),
): JsonObject[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `id-${index}`,
    name: `Name ${index}`,
    ...more(index),
  }));
}
