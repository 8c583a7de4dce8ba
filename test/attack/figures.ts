import type { Campaign, Terms } from '../campaigns/campaign.ts';

/** What a campaign of the attack counts. */
export interface Figures {
  /** Requests, or whatever else was tried. */
  tried: number;
  /** What must not happen and did. */
  through: number;
}

/** A kind of attack that is tried repeatedly. */
export type AttackCampaign = Campaign<Figures>;

/** The headings of the figures. */
export const HEADINGS = { tried: 'tried', through: 'got through' };

/** Whether something was tried, and nothing got through. */
export function isSound({ tried, through }: Figures): boolean {
  return tried > 0 && through === 0;
}

/** The figures of a campaign while it runs. */
export class Tally {
  readonly figures: Figures = { tried: 0, through: 0 };
  readonly #terms: Terms;

  constructor(terms: Terms) {
    this.#terms = terms;
  }

  /** Counts what was tried. */
  tried(count = 1): void {
    this.figures.tried += count;
  }

  /** Counts something that got through, and describes it. */
  gotThrough(what: string): void {
    this.figures.through++;
    this.#terms.report(what);
  }
}
