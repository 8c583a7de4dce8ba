import { type RedisServer, startRedis } from '../gateway/store/redis-server.ts';
import { until } from '../support/until.ts';
import type { Terms } from '../campaigns/campaign.ts';
import { type FaultCampaign, type Figures, noFigures } from './figures.ts';
import { Fleet } from '../campaigns/fleet.ts';
import { send, Traffic } from '../campaigns/traffic.ts';
import { readBack } from './read-back.ts';

/** What a free account may send in a minute. */
const CAP = 10;

/** Redis hangs or is killed while keys are in use. Gateways serve keys they know, and each counts alone meanwhile. */
export const campaign: FaultCampaign = {
  name: 'lost Redis',
  about:
    'Redis hangs or restarts under load: known keys are served, none is refused as unknown, caps hold for each gateway',
  rounds: { short: 4, full: 20 },
  needs: ['redis-server', 'nginx'],
  async run(terms) {
    const redis = await startRedis();
    try {
      const fleet = await Fleet.open({ store: redis.address });
      try {
        return await loseRedis(fleet, redis, terms);
      } finally {
        await fleet.close();
      }
    } finally {
      await redis.remove();
    }
  },
};

async function loseRedis(fleet: Fleet, redis: RedisServer, terms: Terms): Promise<Figures> {
  const figures = noFigures();
  const [pro] = await fleet.issueKeys('pro', ['pro@example.org']);
  const target = `${fleet.front}/api/saga/characters?rarity=1`;
  // Each gateway has seen the key before Redis goes away for the first time.
  for (let index = 0; index < fleet.count; index++) {
    await until(async () => (await send(`${fleet.address(index)}/api/games`, pro)).status === 200);
  }
  const traffic = new Traffic(
    4,
    () => send(target, pro),
    ({ status, text }) => {
      if (status === 200) return;
      figures[status === 401 ? 'wrong' : 'lost']++;
      terms.report(`${status} ${text.slice(0, 200)}`);
    },
  );
  for (let round = 0; !terms.isOver(); round++) await loseOnce(fleet, redis, round, terms, figures);
  await traffic.stop();
  figures.tried += traffic.sent;
  await readBack(fleet, terms, figures);
  return figures;
}

/** Sends 40 requests of a free key; Redis goes away after a few and comes back before the last ones. */
async function loseOnce(
  fleet: Fleet,
  redis: RedisServer,
  round: number,
  { random }: Terms,
  figures: Figures,
) {
  const [free] = await fleet.issueKeys('free', [`free-${round}@example.org`]);
  const isKilled = random() < 0.5;
  let admitted = 0;
  const ask = async () => {
    if ((await send(`${fleet.front}/api/games`, free)).status === 200) admitted++;
  };
  for (let sent = 0; sent < 4; sent++) await ask();
  await redis.signal(isKilled ? 'SIGKILL' : 'SIGSTOP');
  for (let sent = 0; sent < 32; sent++) await ask();
  if (isKilled) await redis.start();
  else await redis.signal('SIGCONT');
  for (let sent = 0; sent < 4; sent++) await ask();
  figures.tried++;
  figures.above += Math.max(0, admitted - CAP * fleet.count);
}
