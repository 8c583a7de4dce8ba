import type { Terms } from '../campaigns/campaign.ts';
import type { Fleet } from '../campaigns/fleet.ts';
import type { Figures } from './figures.ts';

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
