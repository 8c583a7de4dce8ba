import { randomUUID } from 'node:crypto';
import { createKey } from '../../../gateway/keys/api-key.ts';
import { Vault } from '../../../gateway/keys/vault.ts';
import { issueKey } from '../../../gateway/people/accounts/accounts.ts';
import { follow, setWebhook } from '../../../gateway/people/alerts/settings.ts';
import type { Tier } from '../../../gateway/plans/account.ts';
import { openStore } from '../../../gateway/store/open-store.ts';
import type { Store, StoredRecord } from '../../../gateway/store/store.ts';

/** What the accounts of a crowd have in common. */
export interface Crowd {
  tier: Tier;
  /** Where their webhooks are; they then follow all games. */
  webhook?: string;
}

/** How many accounts one transaction adds. */
const BATCH = 500;
const PAGE = 1000;

/**
 * Adds many accounts, each with a key. The first is made as any account is; the others are copies of its records under other names, so that
 * a million take a minute and not an hour.
 *
 * @returns the keys
 */
export async function addCrowd(address: string, count: number, { tier, webhook }: Crowd): Promise<string[]> {
  const store = await openStore(address);
  try {
    const { key, prefix, hash } = createKey();
    const email = `${tier}-${randomUUID()}@example.org`;
    const now = Date.now();
    const issued = await issueKey(store, { email, prefix, hash, grant: { tier, pro_until: null }, now });
    if (issued === undefined) throw new Error('the prefix of a random key is in use');
    const { id, counted_as = id } = issued.account;
    if (webhook !== undefined) await startFollowing(store, id, webhook);
    const texts = [id, email, prefix, hash, counted_as];
    const own = (await readAll(store)).filter(({ name, value }) =>
      texts.some((text) => `${name} ${value}`.includes(text)),
    );
    const keys = [key];
    while (keys.length < count) {
      const copies = Array.from({ length: Math.min(BATCH, count - keys.length) }, createKey);
      const records = copies.flatMap((copy) => {
        const others = [
          randomUUID(),
          `${tier}-${randomUUID()}@example.org`,
          copy.prefix,
          copy.hash,
          randomUUID(),
        ];
        const rename = (text: string) => replaceEach(text, texts, others);
        return own.map(({ name, value }) => [rename(name), { value: rename(value) }] as const);
      });
      await store.commit({ read: new Map(), write: new Map(records) });
      keys.push(...copies.map((copy) => copy.key));
    }
    return keys;
  } finally {
    await store.close();
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

async function readAll(store: Store): Promise<StoredRecord[]> {
  const found: StoredRecord[] = [];
  for (let after = ''; ; after = found.at(-1)?.name ?? '') {
    const page = await store.dump({ after, limit: PAGE });
    found.push(...page);
    if (page.length < PAGE) return found;
  }
}
