import type { CompiledBuild } from '../compile/compile-build.ts';
import type { Mappings } from '../compile/mapping.ts';
import type { Finding } from '../findings/findings.ts';
import type { BuildContent } from '../format/build-content.ts';
import type { Aliases } from '../format/dist-format.ts';
import type { CheckSettings } from '../read/game/definition.ts';
import type { GameSource } from '../read/game/read-game.ts';
import type { BuildCoverage } from './coverage.ts';

/** What a look at all values of a list found. */
export interface ListSurvey {
  /** By dotted key. */
  attributes: ReadonlyMap<string, { path: readonly string[] }>;
  /** Whether attributes may have values of several kinds, and whether names of attributes contain dots: then dotted keys do not tell them apart. */
  hasMixedKinds: boolean;
  hasDots: boolean;
}

/** The same of a build, by the names of its lists and objects. */
export interface BuildSurvey {
  lists: ReadonlyMap<string, ListSurvey>;
}

/** Checks the builds of one game, oldest first: what each says, and the step to it from the build before. */
export interface StepChecker {
  /** What is remembered of all builds so far: JSON. */
  readonly seen: unknown;
  /**
   * Continues after a build that an earlier run checked.
   *
   * @param seen what was remembered of all builds up to that one
   * @param before that build; undefined if the next build needs no check either
   */
  resume(seen: unknown, before?: BuildContent): void;
  /** Continues after a build that was left out: the next one is not compared with it, but may have what its overrides accept. */
  skip(source: CompiledBuild['source']): void;
  /** Looks at all values of the next build. */
  survey(build: CompiledBuild): BuildSurvey;
  /**
   * Checks the next build, and applies its overrides.
   *
   * @param whole whether it can be compared: a build that was read in part differs from its neighbours because of errors that are reported already
   */
  check(build: CompiledBuild, whole: boolean): Finding[];
  /** What was found in the newest build and in those before it, and is reported after all builds. */
  finish(): Finding[];
  /** What the newest build has, beside the one before it; undefined if it was not compiled. @param aliases of its records */
  cover(game: string, aliases: Aliases): BuildCoverage | undefined;
}

/** The checks that hold a damaged dump back, and all others that need judgement. */
export interface StepChecks {
  begin(): StepChecker;
  /** Finds what is wrong with `checks` in a game.json. @param folder the game's folder, for findings */
  checkSettings(folder: string, checks: CheckSettings): Finding[];
  /** Checks the definition of a game in which nothing else is wrong. */
  checkGame(game: GameSource, mappings: Mappings): Finding[];
  /** The JSON Schema of `checks` in game.json, for editors. */
  settingsSchema(): object;
}
