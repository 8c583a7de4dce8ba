/** What work on a game may take, so that a faulty or hostile definition costs nothing but itself. */
export interface Limits {
  /** For the definitions, and for each build. */
  seconds: number;
  /** JavaScript memory of a game. */
  mebibytes: number;
}

/** Far more than a build of any game known takes. */
export const DEFAULT_LIMITS: Limits = { seconds: 60, mebibytes: 2048 };
