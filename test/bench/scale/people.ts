import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createKey } from '../../../gateway/access/api-key.ts';
import { Vault } from '../../../gateway/people/alerts/vault.ts';
import { issueKey } from '../../../gateway/store/accounts/accounts.ts';
import { follow, setWebhook } from '../../../gateway/people/alerts/settings.ts';
import type { Tier } from '../../../gateway/access/account.ts';
import { openStore } from '../../../gateway/store/open-store.ts';
import type { Store, StoredRecord } from '../../../gateway/store/store.ts';

/** What the accounts of a crowd have in common. */
export interface Crowd {
  tier: Tier;
  /** Where their webhooks are; they then follow all games. */
  webhook?: string;
}

/** How many records one transaction adds. */
const BATCH = 20_000;
/** More than an account has. */
const MAX_RECORDS = 1000;
/** Mails that are still to be sent: all of a crowd would be due at once. */
const NOTICES = 'security-notice';

/**
 * Adds many accounts, each with a key. They are copies of the records of one that was made as any account is, under other names, written in
 * the order of the names, so that a million take minutes and not hours.
 *
 * @returns the keys
 */
export async function addCrowd(address: string, count: number, crowd: Crowd): Promise<string[]> {
  const { texts, records } = await makeModel(crowd);
  const keys = Array.from({ length: count }, createKey);
  const copies = keys.map(({ prefix, hash }) => [
    randomUUID(),
    `${crowd.tier}-${randomUUID()}@example.org`,
    prefix,
    hash,
    randomUUID(),
  ]);
  const store = await openStore(address);
  try {
    for (const { name, value } of records) {
      const named = copies.map((copy) => ({ name: replaceEach(name, texts, copy), copy }));
      named.sort((a, b) => (a.name < b.name ? -1 : 1));
      for (let at = 0; at < count; at += BATCH) {
        const batch = named.slice(at, at + BATCH);
        const write = new Map(
          batch.map((each) => [each.name, { value: replaceEach(value, texts, each.copy) }]),
        );
        await store.commit({ read: new Map(), write });
      }
    }
    return keys.map(({ key }) => key);
  } finally {
    await store.close();
  }
}

/** Makes an account in a store of its own. @returns its records, and the texts in them that are its own */
async function makeModel({ tier, webhook }: Crowd): Promise<{ texts: string[]; records: StoredRecord[] }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'model-'));
  const store = await openStore(folder);
  try {
    const { prefix, hash } = createKey();
    const email = `${tier}-${randomUUID()}@example.org`;
    const now = Date.now();
    const issued = await issueKey(store, { email, prefix, hash, grant: { tier, pro_until: null }, now });
    if (issued === undefined) throw new Error('the prefix of a random key is in use');
    const { id, counted_as = id } = issued.account;
    if (webhook !== undefined) await startFollowing(store, id, webhook);
    const texts = [id, email, prefix, hash, counted_as];
    const all = await store.dump({ after: '', limit: MAX_RECORDS });
    const records = all.filter(
      ({ name, value }) =>
        texts.some((text) => `${name} ${value}`.includes(text)) && !name.startsWith(NOTICES),
    );
    return { texts, records };
  } finally {
    await store.close();
    await rm(folder, { recursive: true });
  }
}

async function startFollowing(store: Store, account: string, webhook: string): Promise<void> {
  const by = { actor: { by: 'operator', network: null }, now: Date.now(), vault: new Vault([]) } as const;
  await setWebhook(store, account, webhook, { ...by, policy: { isStrict: false } });
  await follow(store, account, ['all_games']);
}

function replaceEach(text: string, from: readonly string[], to: readonly string[]): string {
  return from.reduce((result, part, index) => result.replaceAll(part, to[index] as string), text);
}
