import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Place } from '../findings/findings.ts';
import type { Steps } from '../findings/steps.ts';

const MEBIBYTE = 2 ** 20;

/** The message of the error about a game that needs too much memory. Only messages pass between processes. */
export const TOO_MUCH_MEMORY = 'the memory of this process is above its limit';

/**
 * Compares the memory of this process with a limit whenever a build or a file begins. V8 itself keeps the limit of its heap, which does not
 * hold the bytes of files. They count here too.
 */
export class LimitedSteps implements Steps {
  readonly #steps: Steps;
  readonly #bytes: number;

  /** @param mebibytes the limit of V8's heap and of bytes outside it together */
  constructor(steps: Steps, mebibytes: number) {
    this.#steps = steps;
    this.#bytes = mebibytes * MEBIBYTE;
  }

  beginStage(doing: string, at: Place | string): void {
    this.#steps.beginStage(doing, at);
    this.#check();
  }

  beginStep(doing: string, at: Place | string): void {
    this.#steps.beginStep(doing, at);
    // Only steps with whole files, as others begin for each row.
    if (typeof at === 'string') this.#check();
  }

  /** @throws Error with `TOO_MUCH_MEMORY` */
  #check(): void {
    if (usedBytes() <= this.#bytes) return;
    collectGarbage();
    if (usedBytes() > this.#bytes) throw new Error(TOO_MUCH_MEMORY);
  }
}

function usedBytes(): number {
  const { used_heap_size, external_memory } = getHeapStatistics();
  return used_heap_size + external_memory;
}

/** Much of what is in use could be garbage. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}
