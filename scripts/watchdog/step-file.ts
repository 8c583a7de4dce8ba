import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import type { Place } from '../findings/findings.ts';
import type { Steps } from '../findings/steps.ts';

/** What a compilation is doing, as another process sees it. */
export interface Step {
  /** Counts what has a time limit of its own: the definitions, then each build. */
  stage: number;
  /** As a sentence goes on: "evaluating data/x/game.json /roster/entry". */
  doing: string;
  place: Place;
}

/** Keeps the present step of this process in a file, where it can be read even when the step never ends. */
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
    const step: Step = { stage: this.#stage, doing, place };
    // A longer step before leaves its end behind; the reader stops at the first line.
    writeSync(this.#descriptor, `${JSON.stringify(step)}\n`, 0);
  }

  close(): void {
    closeSync(this.#descriptor);
  }
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
