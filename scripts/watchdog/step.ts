import { openSync, readFileSync, writeSync } from 'node:fs';
import type { Place } from '../findings/findings.ts';

/** What a compilation is doing, as another process sees it. */
export interface Step {
  /** Counts what has an allowance of time of its own: the definitions, then each build. */
  stage: number;
  /** As a sentence goes on: "evaluating data/x/game.json /roster/entry". */
  doing: string;
  place: Place;
}

let descriptor: number | undefined;
let stage = 0;

/** From now on this process keeps its present step in a file, where it can be read even when the step never ends. */
export function writeStepsTo(file: string): void {
  descriptor = openSync(file, 'w');
  stage = 0;
}

/** Begins what has an allowance of time of its own. */
export function beginStage(doing: string, at: Place | string): void {
  stage += 1;
  beginStep(doing, at);
}

/**
 * Tells what is being done. Of no effect in a process that nobody watches.
 *
 * @param at a place, or the path of a file as a whole
 */
export function beginStep(doing: string, at: Place | string): void {
  if (descriptor === undefined) return;
  const place = typeof at === 'string' ? { file: at, pointer: '', line: 1 } : at;
  const step: Step = { stage, doing, place };
  // A longer step before leaves its end behind; the reader stops at the first line.
  writeSync(descriptor, `${JSON.stringify(step)}\n`, 0);
}

/** The step that a process is at; undefined before it has begun one. */
export function readStep(file: string): Step | undefined {
  try {
    const [line] = readFileSync(file, 'utf8').split('\n', 1);
    return line ? (JSON.parse(line) as Step) : undefined;
  } catch {
    return undefined;
  }
}
