import { runCampaigns } from '../campaigns/run-campaigns.ts';
import { HEADINGS, isSound } from './figures.ts';
import { campaign as leaks } from './leaks.ts';
import { campaign as rawRequests } from './raw-requests.ts';

await runCampaigns({
  name: 'attack',
  about: 'Attacks the real programs, and counts what gets through. That column must be 0.',
  headings: HEADINGS,
  isSound,
  campaigns: [leaks, rawRequests],
});
