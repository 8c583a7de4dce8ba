/** Limits for the work on a game, so that a faulty or hostile definition does not affect other games. */
export interface Limits {
  /** The time limit for reading the definitions, and for each build. */
  seconds: number;
  /** The JavaScript memory for a game. */
  mebibytes: number;
}

/** Much more than a build of any known game needs. */
export const DEFAULT_LIMITS: Limits = { seconds: 60, mebibytes: 2048 };
