import { openStore } from '../../gateway/store/open-store.ts';
import type { Store } from '../../gateway/store/store.ts';
import { pick, type Terms } from '../campaigns/campaign.ts';
import { Fleet } from '../campaigns/fleet.ts';
import { startRedis } from '../gateway/store/redis-server.ts';
import { type RawResponse, readResponses } from '../support/exchange.ts';
import { issueKey } from '../support/harness.ts';
import { type AttackCampaign, Tally } from './figures.ts';
import { sendParts } from './raw-client.ts';

/** What a free account may send in a minute. */
const CAP = 10;
const GATEWAYS = 2;
const CONNECTIONS = 9;
/** How many accounts are used at once. */
const ACCOUNTS = 3;
/** Every one counts as a request. */
const TARGETS = [
  'GET /api/games',
  'HEAD /api/games',
  'GET /api/saga/characters?limit=1',
  'GET /api/saga/characters/u1',
  'GET /api/saga/nothing',
  'GET /api/saga/characters?nothing=1',
  'GET /api/saga/history',
  'GET /api/saga/compare?ids=u1,u2',
];

/** Keys of one account are used on several gateways at the same time. */
export const campaign: AttackCampaign = {
  name: 'quota races',
  about: `two keys of an account, at once on ${GATEWAYS} gateways that share Redis or a folder: the account gets at most its cap`,
  needs: ['redis-server'],
  async run(terms) {
    const tally = new Tally(terms);
    const redis = await startRedis();
    const options = { count: GATEWAYS, hasFront: false };
    try {
      const fleets = await Promise.all([
        Fleet.open({ ...options, store: redis.address }),
        Fleet.open(options),
      ]);
      const stores = await Promise.all(fleets.map(({ store }) => openStore(store)));
      try {
        for (let round = 0; !terms.isOver(); round++) {
          for (const [index, fleet] of fleets.entries()) {
            const race = (account: number) =>
              runRace(fleet, stores[index] as Store, `ada-${round}-${account}@example.org`, terms, tally);
            await Promise.all(Array.from({ length: ACCOUNTS }, (_, account) => race(account)));
          }
        }
      } finally {
        await Promise.all(stores.map((store) => store.close()));
        await Promise.all(fleets.map((fleet) => fleet.close()));
      }
    } finally {
      await redis.remove();
    }
    return tally.figures;
  },
};

/** Sends more requests than the cap allows, pipelined on several connections to each gateway. */
async function runRace(fleet: Fleet, store: Store, email: string, { random }: Terms, tally: Tally) {
  const keys = [await issueKey(store, 'free', email), await issueKey(store, 'free', email)];
  const connections = Array.from({ length: CONNECTIONS }, async (_, index) => {
    const count = 1 + Math.floor(random() * 6);
    const isHead = random() < 0.2;
    const requests = Array.from({ length: count }, (_, at) => {
      const target = isHead ? 'HEAD /api/games' : pick(TARGETS.slice(2), random);
      const last = at === count - 1 ? 'Connection: close\r\n' : '';
      return `${target} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${pick(keys, random)}\r\n${last}\r\n`;
    });
    tally.tried(count);
    const bytes = await sendParts(fleet.address(index % GATEWAYS), { parts: [requests.join('')] });
    return readResponses(bytes, isHead, true);
  });
  const responses = (await Promise.all(connections)).flat();
  const admitted = responses.filter(isAdmitted).length;
  if (admitted > CAP) tally.gotThrough(`${email} got ${admitted} responses within its minute`);
}

function isAdmitted({ status }: RawResponse): boolean {
  return status !== 401 && status !== 429 && status < 500;
}
