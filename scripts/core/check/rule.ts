import type { CheckName } from '../findings/check-names.ts';
import type { Finding } from '../findings/findings.ts';
import type { Json, JsonObject } from '../format/dist-format.ts';
import type { CheckSettings } from '../read/definition.ts';

/**
 * What a check looks at: one file, the definition of a game and its builds, one build, or the step to a build from the one before. `limit`:
 * none of these, but the machine, or what was published.
 */
export type Scope = 'file' | 'game' | 'build' | 'step' | 'limit';

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

/**
 * The files of a small game by their paths in its folder: JSON, or the text of a file. It is complete with a title, a first build 1.0, a
 * `pull_planner.json` and one character.
 */
export type Example = Readonly<Record<string, Json>>;

/** What every check says about itself. `Name` are the names of its thresholds. */
export interface Rule<Name extends string = never> {
  /** Part of the published findings and overrides: it does not change. */
  name: CheckName;
  /** The rule, as a sentence. */
  description: string;
  scope: Scope;
  /** An error keeps a build from being written; a warning does not. */
  severity: Finding['severity'];
  /** The numbers that `game.json` can set; `{}` for none. */
  thresholds: Readonly<Record<Name, Threshold>>;
  /** A game in which the check finds nothing, although it is nearly a fault. */
  passes: Example;
  /** A game in which the check finds one thing, and no other check finds anything. */
  fails: Example;
  /** The names of the folders of both examples, if these are what the check looks at. */
  slugs?: { passes: string; fails: string };
}

/** What a check of the machine says about itself: no file is an example of it. */
export type MachineRule = Pick<Rule, 'name' | 'description' | 'scope' | 'severity'>;

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
