import type { Place } from './findings.ts';

/** Reports what a compilation is doing, so that others see where it is even when it never ends. */
export interface Steps {
  /** Begins what has a time limit of its own: the definitions, then each build. */
  beginStage(doing: string, at: Place | string): void;
  /**
   * @param doing as a sentence goes on: "evaluating data/x/game.json /roster/entry"
   * @param at a place, or the path of a file as a whole
   */
  beginStep(doing: string, at: Place | string): void;
}

/** For work that nobody watches. */
export const UNWATCHED: Steps = { beginStage() {}, beginStep() {} };
