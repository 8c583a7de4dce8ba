import { runCampaigns } from '../campaigns/run-campaigns.ts';
import { HEADINGS, isSound } from './figures.ts';
import { campaign as costlyRequests } from './costly-requests.ts';
import { campaign as forgeries } from './forgeries.ts';
import { campaign as hostileGames } from './hostile-games.ts';
import { campaign as leaks } from './leaks.ts';
import { campaign as mixedConnections } from './mixed-connections.ts';
import { campaign as quotaRaces } from './quota-races.ts';
import { campaign as rawRequests } from './raw-requests.ts';
import { campaign as refusedRequests } from './refused-requests.ts';
import { campaign as slowClients } from './slow-clients.ts';
import { campaign as webhooks } from './webhooks.ts';

await runCampaigns({
  name: 'attack',
  about: 'Attacks the real programs, and counts what gets through. That column must be 0.',
  shortSeconds: 2,
  headings: HEADINGS,
  isSound,
  campaigns: [
    leaks,
    mixedConnections,
    rawRequests,
    quotaRaces,
    refusedRequests,
    webhooks,
    forgeries,
    slowClients,
    costlyRequests,
    hostileGames,
  ],
});
