import type { Place } from './findings.ts';

/** Receives what a compilation is doing, so that a watcher can report where it hangs. */
export interface Steps {
  /** Begins a stage with its own time limit: the definitions, then each build. */
  beginStage(doing: string, at: Place | string): void;
  /**
   * Begins a step of a stage.
   *
   * @param doing a phrase such as "evaluating data/x/game.json /roster/entry"
   * @param at a place, or the path of a whole file
   */
  beginStep(doing: string, at: Place | string): void;
}

/** For a compilation without a watcher. */
export const UNWATCHED: Steps = { beginStage() {}, beginStep() {} };
