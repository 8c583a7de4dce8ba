import type { Program } from '../support/skip.ts';

/** What a campaign counts. Everything except `tried` should be 0. */
export interface Figures {
  /** Faults that were caused, or requests that were sent meanwhile. */
  tried: number;
  /** Work or responses that were lost: a request without a complete response, an acknowledged change that is gone. */
  lost: number;
  /** Files or responses that were incomplete. */
  torn: number;
  /** Responses with wrong content. */
  wrong: number;
  /** Requests that were admitted above a cap, beyond what the documents promise. */
  above: number;
  /** Processes that ended without a message. */
  silent: number;
}

/** What a campaign gets. */
export interface Terms {
  /** Whether its time is over. A campaign then ends after the current round. */
  isOver(): boolean;
  /** A number from 0 to 1 (exclusive). */
  random(): number;
  /** Describes a failure, to be shown below the table. */
  report(failure: string): void;
}

/** A kind of fault that is caused repeatedly. */
export interface Campaign {
  name: string;
  /** What it does and what must hold, in a sentence. */
  about: string;
  /** Programs without which it is skipped. */
  needs: readonly Program[];
  /** What else is missing here, so that it is skipped; undefined if nothing is. */
  lacks?: string | undefined;
  /** Causes faults until its time is over. */
  run(terms: Terms): Promise<Figures>;
}

/** The figures before the first try. */
export function noFigures(): Figures {
  return { tried: 0, lost: 0, torn: 0, wrong: 0, above: 0, silent: 0 };
}

/** Whether everything that should be 0 is 0, and something was tried. */
export function isSound({ tried, ...bad }: Figures): boolean {
  return tried > 0 && Object.values(bad).every((count) => count === 0);
}
