import { setTimeout as sleep } from 'node:timers/promises';
import { readCountersOf } from '../../gateway/access/quota.ts';
import { OPERATOR } from '../../gateway/store/audit.ts';
import { revokeKey } from '../../gateway/store/keys.ts';
import { openStore } from '../../gateway/store/open.ts';
import { type Store, StoreError } from '../../gateway/store/sql.ts';
import type { Terms } from '../campaigns/campaign.ts';
import { Fleet } from '../campaigns/fleet.ts';
import { send, Traffic } from '../campaigns/traffic.ts';
import { hasPostgres, type PostgresServer, startPostgres } from '../gateway/store/postgres-server.ts';
import { accountByEmail } from '../support/accounts.ts';
import { issueKey } from '../support/harness.ts';
import { until } from '../support/until.ts';
import { type FaultCampaign, type Figures, noFigures, readBack } from './figures.ts';

const WRITERS = 4;
const ROUND_COMMITS = 100;
/** What a free account may send in a minute, and what it sends. */
const CAP = 10;
const REQUESTS = 40;
const PROBE = 'probe@example.org';
const SECRET_KEY = { GATEWAY_SECRET_KEY: Buffer.alloc(32, 7).toString('base64') };

/** Two gateways on one PostgreSQL behind nginx. PostgreSQL is killed in each round, and a gateway in every second one. */
export const campaign: FaultCampaign = {
  name: 'killed databases',
  about:
    'kill -9 of PostgreSQL and of gateways: each acknowledged commit is there, known keys are served meanwhile, and caps are exact afterwards',
  // A round has 100 commits.
  rounds: 20,
  needs: ['nginx'],
  lacks: hasPostgres ? undefined : 'PostgreSQL',
  async run(terms) {
    const postgres = await startPostgres();
    const store = await postgres.createDatabase();
    Object.assign(process.env, SECRET_KEY);
    const fleet = await Fleet.open({ store, env: SECRET_KEY });
    const figures = noFigures();
    try {
      const [probe = ''] = await fleet.issueKeys('pro', [PROBE]);
      for (let round = 0; !terms.isOver(); round++)
        await runRound({ fleet, postgres, probe }, round, terms, figures);
    } finally {
      delete process.env.GATEWAY_SECRET_KEY;
      await fleet.close();
      await postgres.remove();
    }
    return figures;
  },
};

interface World {
  fleet: Fleet;
  postgres: PostgresServer;
  /** A Pro key that all gateways know. */
  probe: string;
}

async function runRound(world: World, round: number, terms: Terms, figures: Figures): Promise<void> {
  const { fleet, postgres, probe } = world;
  const store = await openStore(fleet.store);
  for (let index = 0; index < fleet.count; index++) await send(`${fleet.address(index)}/api/games`, probe);
  const traffic = new Traffic(
    2,
    () => send(`${fleet.front}/api/games`, probe),
    ({ status, text }) => {
      if (status === 200) return;
      figures.lost++;
      terms.report(`kill ${round}: a known key got ${status} ${text.slice(0, 200)}`);
    },
  );
  let commits = 0;
  const write = async (writer: number) => {
    for (let number = 0; commits < ROUND_COMMITS; number++) {
      try {
        const key = await issueKey(store, 'free', `w${round}-${writer}-${number}@example.org`);
        fleet.acknowledged.issued(key);
        commits++;
        if (number % 4 > 0) continue;
        await store.transaction((sql) => revokeKey(sql, key.slice(0, 12), OPERATOR));
        fleet.acknowledged.revoked(key);
        commits++;
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        await sleep(50);
      }
    }
  };
  const kill = async () => {
    const at = Math.floor(terms.random() * ROUND_COMMITS * 0.8);
    await until(() => commits >= at);
    await postgres.signal('SIGKILL');
    await postgres.start();
    if (round % 2 === 0) return;
    const victim = Math.floor(terms.random() * fleet.count);
    await fleet.end(victim, 'SIGKILL');
    await fleet.start(victim);
  };
  await Promise.all([kill(), ...Array.from({ length: WRITERS }, (_, writer) => write(writer))]);
  await traffic.stop();
  figures.tried += commits;
  await readBack(fleet, terms, figures);
  for (const line of await fleet.acknowledged.findLostEvents(store)) {
    figures.lost++;
    terms.report(`the store has no event ${line}`);
  }
  await checkCaps(world, store, round, figures);
  await store.close();
}

/** Checks the cap of a new key, when both gateways count in the store again. */
async function checkCaps({ fleet }: World, store: Store, round: number, figures: Figures): Promise<void> {
  const [key = '', probe = ''] = await fleet.issueKeys('free', [
    `cap-${round}@example.org`,
    `again-${round}@example.org`,
  ]);
  const found = await accountByEmail(store, `again-${round}@example.org`);
  if (!found) throw new Error('the account of a new key is missing');
  for (let index = 0; index < fleet.count; index++) {
    await until(async () => (await send(`${fleet.address(index)}/api/games`, probe)).status === 200);
    await until(async () => (await readCountersOf(store, found.account)).count > index);
  }
  const all = Array.from({ length: REQUESTS }, () => send(`${fleet.front}/api/games`, key));
  const admitted = (await Promise.all(all)).filter(({ status }) => status === 200).length;
  figures.above += Math.max(0, admitted - CAP);
  figures.wrong += Math.max(0, CAP - admitted);
}
