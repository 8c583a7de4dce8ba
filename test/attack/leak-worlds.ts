import { cp } from 'node:fs/promises';
import path from 'node:path';
import type { Tier } from '../../gateway/access/account.ts';
import { createKey } from '../../gateway/access/api-key.ts';
import * as alerts from '../../gateway/people/alerts/channels.ts';
import { addRequest } from '../../gateway/people/requests.ts';
import { beginSession } from '../../gateway/people/sessions.ts';
import * as accounts from '../../gateway/store/accounts.ts';
import { OPERATOR } from '../../gateway/store/audit.ts';
import { insertKey } from '../../gateway/store/keys.ts';
import { openStore } from '../../gateway/store/open.ts';
import type { Store } from '../../gateway/store/sql.ts';
import type { Json } from '../../scripts/format/dist-format.ts';
import { Fleet } from '../campaigns/fleet.ts';
import { secretOf } from '../gateway/people/alerts/world.ts';
import { accountByEmail } from '../support/accounts.ts';
import type { Files } from '../support/fixtures.ts';
import { PLATFORM_SETTINGS } from './surface.ts';

const HOUR_MS = 3_600_000;
/** Words of what only Pro may see, of what nobody may see, and of other people. No visible name resembles them. */
export const PRO_WORD = 'qumbrel';
export const SECRET_WORD = 'vexorant';
const PERSON_WORD = 'zyphoria';

/** A gateway with its store. */
export interface World {
  fleet: Fleet;
  store: Store;
}

/** For each tier, a gateway with all data and one with only what the tier may see. */
export interface Worlds {
  full: Record<Tier, World>;
  lacking: Record<Tier, World>;
  /** Texts that no response may contain. */
  secrets: string[];
  /** Issues the same key on all of them. */
  issueKey(tier: Tier): Promise<string>;
  close(): Promise<void>;
}

type Row = { id: string; name: string; [attribute: string]: unknown };

/** Visible to all: released long ago. */
const OLD: Files = {
  'saga/game.json': { title: 'Saga' },
  'saga/1.0/build.json': { released_at: '2026-01-01', note: 'first' },
  'saga/1.0/characters.json': rowsOf('unit', 40) as never,
  'saga/1.0/items.json': rowsOf('item', 10) as never,
  'saga/1.0/pull_planner.json': { cost: 160 },
};

function rowsOf(word: string, count: number): Row[] {
  return Array.from({ length: count }, (_, row) => ({
    id: `${word}-${row}`,
    name: `${word} ${row}`,
    rarity: row % 5,
    stats: { atk: 100 + row },
  }));
}

/** A build of the known game, and a game of its own, in which everything contains the word. */
function plant(word: string, build: string, releasedAt: number, before: readonly Json[]): Files {
  const released_at = new Date(releasedAt).toISOString().replace(/\.\d+Z$/, 'Z');
  const planted = rowsOf(word, 3).map((row) => ({ ...row, [`${word}_power`]: 7, element: word }));
  const characters = [...before, ...planted];
  return {
    [`saga/${build}/build.json`]: { released_at, note: `the ${word} build` },
    [`saga/${build}/characters.json`]: characters as never,
    [`saga/${build}/${word}_items.json`]: planted as never,
    [`saga/${build}/pull_planner.json`]: { cost: 100 + word.length },
    [`${word}-quest/game.json`]: { title: `The ${word} quest` },
    [`${word}-quest/1.0/build.json`]: { released_at },
    [`${word}-quest/1.0/characters.json`]: planted as never,
    [`${word}-quest/1.0/pull_planner.json`]: { cost: 1 },
  };
}

/** Starts the gateways, each with a store that has the same accounts. */
export async function openWorlds(smtpUrl: string): Promise<Worlds> {
  const now = Date.now();
  const old = OLD['saga/1.0/characters.json'] as Json[];
  const pro = plant(PRO_WORD, '1.1', now - 2 * HOUR_MS, old);
  const known = pro['saga/1.1/characters.json'] as Json[];
  const embargoed = plant(SECRET_WORD, '2.0', now + 48 * HOUR_MS, known);
  const args = '--host 0.0.0.0 --public-url https://api.example.org --trusted-proxy 1'.split(' ');
  const env = { ...PLATFORM_SETTINGS, SMTP_URL: smtpUrl, MAIL_FROM: 'Games <mail@example.org>' };
  const open = (files: Files) => Fleet.open({ count: 1, hasFront: false, files, args, env });
  const all = { ...OLD, ...pro, ...embargoed };
  const fleets = await Promise.all([all, all, OLD, { ...OLD, ...pro }].map(open));
  const secrets = await fillStores(fleets);
  const worlds = await Promise.all(
    fleets.map(async (fleet) => ({ fleet, store: await openStore(fleet.store) })),
  );
  const [freeFull, proFull, free, paid] = worlds as [World, World, World, World];
  let issued = 0;
  return {
    full: { free: freeFull, pro: proFull },
    lacking: { free, pro: paid },
    secrets: [
      ...secrets,
      PLATFORM_SETTINGS.PATREON_WEBHOOK_SECRET,
      PLATFORM_SETTINGS.KOFI_VERIFICATION_TOKEN,
      ...fleets.map(({ root }) => root),
    ],
    async issueKey(tier) {
      const created = createKey();
      const email = `attacker-${++issued}@example.org`;
      await Promise.all(worlds.map(({ store }) => addKey(store, email, tier, created)));
      return created.key;
    },
    async close() {
      await Promise.all(worlds.map(({ store }) => store.close()));
      await Promise.all(fleets.map((fleet) => fleet.close()));
    },
  };
}

/** Signs in to the account of a tier that every world has. @returns the session's token */
export async function enter({ store }: World, tier: Tier): Promise<string> {
  const found = await accountByEmail(store, emailOf(tier));
  return await signIn(store, found?.account.id ?? '');
}

function emailOf(tier: Tier): string {
  return `attacker-${tier}@example.org`;
}

function addKey(store: Store, email: string, tier: Tier, { prefix, hash }: { prefix: string; hash: string }) {
  const grant = { tier, pro_until: null };
  return store.transaction(async (sql) => {
    const account = await accounts.openAccount(sql, email);
    await insertKey(sql, { prefix, hash }, account.id);
    await accounts.grantTier(sql, account.id, grant);
    return { account };
  });
}

/** Fills the store of the first gateway, and gives the others a copy. @returns what no response may contain */
async function fillStores(fleets: readonly Fleet[]): Promise<string[]> {
  await Promise.all(fleets.map((fleet) => fleet.end(0, 'SIGTERM')));
  const [first, ...others] = fleets as [Fleet, ...Fleet[]];
  const store = await openStore(first.store);
  for (const tier of ['free', 'pro'] as const) await addKey(store, emailOf(tier), tier, createKey());
  const secrets = await addOthers(store);
  await store.close();
  for (const { store: folder } of others) await cp(first.store, folder, { recursive: true, force: true });
  await Promise.all(fleets.map((fleet) => fleet.start(0)));
  return secrets;
}

/** Adds an account of another person, with all that an account can have. */
async function addOthers(store: Store): Promise<string[]> {
  const created = createKey();
  const email = `${PERSON_WORD}@example.org`;
  const issued = await addKey(store, email, 'pro', created);
  const id = issued?.account.id ?? '';
  const owner = { account: id, actor: OPERATOR };
  const chosen = { address: `https://${PERSON_WORD}.example.org/hook`, policy: { isStrict: true } };
  const feed = path.basename((await alerts.setChannel(store, owner, 'feed', chosen)) ?? '');
  await alerts.setChannel(store, owner, 'webhook', chosen);
  const secret = await secretOf(store, id);
  const token = await signIn(store, id);
  const supporter = { account: id, seen: new Map() };
  await addRequest(store, supporter, { name: 'A wish', link: 'https://example.org/wish' });
  return [PERSON_WORD, created.key, created.hash, id, feed, secret, token];
}

/** Signs in to an account. @returns the session's token */
function signIn(store: Store, account: string): Promise<string> {
  const origin = { network: '192.0.2.1', browser: 'Firefox on Linux' };
  return store.transaction((sql) => beginSession(sql, account, origin));
}
