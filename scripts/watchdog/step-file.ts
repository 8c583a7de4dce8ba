import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import type { Place } from '../findings/findings.ts';
import type { Steps } from '../findings/steps.ts';

/** The current step of a compilation, for another process. */
export interface Step {
  /** Counts the stages, each of which has its own time limit: the definitions, then each build. */
  stage: number;
  /** The process that compiles. */
  pid: number;
  /** The beginning of a sentence: "evaluating data/x/game.json /roster/entry". */
  doing: string;
  place: Place;
}

/** Keeps the current step of this process in a file, so that it can be read even if the step never ends. */
export class StepFile implements Steps {
  readonly #descriptor: number;
  #stage = 0;

  constructor(file: string) {
    this.#descriptor = openSync(file, 'w');
  }

  beginStage(doing: string, at: Place | string): void {
    this.#stage += 1;
    this.beginStep(doing, at);
  }

  beginStep(doing: string, at: Place | string): void {
    const place = typeof at === 'string' ? { file: at, pointer: '', line: 1 } : at;
    const step: Step = { stage: this.#stage, pid: process.pid, doing, place };
    // The rest of a longer step before stays in the file. The reader reads the first line only.
    writeSync(this.#descriptor, `${JSON.stringify(step)}\n`, 0);
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}

/** The current step of a process; undefined before its first step. */
export function readStep(file: string): Step | undefined {
  try {
    const [line] = readFileSync(file, 'utf8').split('\n', 1);
    return line ? (JSON.parse(line) as Step) : undefined;
  } catch {
    return undefined;
  }
}
