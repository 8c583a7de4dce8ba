import { verifyDist } from '../../scripts/commands/verify.ts';
import { readIndex } from '../../scripts/dist/read-dist.ts';
import type { Campaign, Terms } from '../campaigns/campaign.ts';
import type { Fleet } from '../campaigns/fleet.ts';

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

/** A kind of fault that is caused repeatedly. */
export type FaultCampaign = Campaign<Figures>;

/** The headings of the figures. */
export const HEADINGS = {
  tried: 'tried',
  lost: 'lost',
  torn: 'torn',
  wrong: 'wrong',
  above: 'above caps',
  silent: 'silent',
};

/** The figures before the first try. */
export function noFigures(): Figures {
  return { tried: 0, lost: 0, torn: 0, wrong: 0, above: 0, silent: 0 };
}

/** Whether everything that should be 0 is 0, and something was tried. */
export function isSound({ tried, ...bad }: Figures): boolean {
  return tried > 0 && Object.values(bad).every((count) => count === 0);
}

/** Finds what is missing or damaged in a dist/ or a published copy. */
export async function findFaults(folder: string): Promise<string[]> {
  const index = await readIndex(folder);
  return index ? [...(await verifyDist(folder, index)).faults] : ['no index'];
}

/** Reads back every key that a campaign has issued or revoked in the store of its fleet, and counts those that are lost. */
export async function readBack(
  { acknowledged, store }: Pick<Fleet, 'acknowledged' | 'store'>,
  { report }: Pick<Terms, 'report'>,
  figures: Figures,
): Promise<void> {
  const lost = await acknowledged.findLostIn(store);
  figures.lost += lost.length;
  for (const line of lost) report(line);
}
