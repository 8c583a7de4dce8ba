import type { Program } from '../support/skip.ts';

/** What a campaign gets. */
export interface Terms {
  /** Asked before each round: whether its time is over, and it had as many rounds as it has to have. */
  isOver(): boolean;
  /** A number from 0 to 1 (exclusive). */
  random(): number;
  /** Describes a failure, to be shown below the table. */
  report(failure: string): void;
}

/** Something that is tried repeatedly on the real programs. `Figures` is what it counts. */
export interface Campaign<Figures> {
  name: string;
  /** What it does and what must hold, in a sentence. */
  about: string;
  /** Programs without which it is skipped. */
  needs: readonly Program[];
  /** What else is missing here, so that it is skipped; undefined if nothing is. */
  lacks?: string | undefined;
  /** How many rounds it has at least; 1 by default. */
  rounds?: number;
  /** Tries until its time is over. */
  run(terms: Terms): Promise<Figures>;
}

/** A program of campaigns: one script of package.json. */
export interface CampaignProgram<Figures> {
  /** The script's name. */
  name: string;
  /** What it does, in a sentence. */
  about: string;
  campaigns: readonly Campaign<Figures>[];
  /** The headings of the figures, in their order. */
  headings: { readonly [Name in keyof Figures]-?: string };
  /** Whether nothing happened that must not happen. */
  isSound(figures: Figures): boolean;
}

/** Picks an element at random. */
export function pick<T>(list: readonly T[], random: () => number): T {
  return list[Math.floor(random() * list.length)] as T;
}
