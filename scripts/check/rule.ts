import type { CheckName } from '../findings/check-names.ts';
import type { Finding } from '../findings/findings.ts';
import type { Json } from '../format/dist-format.ts';

/**
 * What a check looks at: one file, the definition of a game and its builds, one build, or the step to a build from the one before. `limit`:
 * none of these, but the machine, or what was published.
 */
export type Scope = 'file' | 'game' | 'build' | 'step' | 'limit';

/**
 * The files of a small game by their paths in its folder: JSON, or the text of a file. It is complete with a title, a first build 1.0, a
 * `pull_planner.json` and one character.
 */
export type Example = Readonly<Record<string, Json>>;

/** What every check says about itself. */
export interface Rule {
  /** Part of the published findings and overrides: it does not change. */
  name: CheckName;
  /** The rule, as a sentence. */
  description: string;
  scope: Scope;
  /** An error keeps a build from being written; a warning does not. */
  severity: Finding['severity'];
  /** A game in which the check finds nothing, although it is nearly a fault. */
  passes: Example;
  /** A game in which the check finds one thing, and no other check finds anything. */
  fails: Example;
  /** The names of the folders of both examples, if these are what the check looks at. */
  slugs?: { passes: string; fails: string };
}
