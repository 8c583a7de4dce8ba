import { createKey } from './access/api-key.ts';
import type { View } from './catalog/catalog.ts';
import type { Store } from './store/store.ts';

const EMAILS = { free: 'demo-free@localhost', pro: 'demo-pro@localhost' } as const;

/** The keys of a demo. */
export interface DemoKeys {
  free: string;
  pro: string;
}

/** Issues a free and a Pro key, and makes those of an earlier demo worthless. */
export async function issueDemoKeys(store: Store, now: number): Promise<DemoKeys> {
  await revokeDemoKeys(store);
  const issue = async (tier: 'free' | 'pro') => {
    const { key, prefix, hash } = createKey();
    await store.issueKey({ email: EMAILS[tier], prefix, hash, grant: { tier, pro_until: null }, now });
    return key;
  };
  return { free: await issue('free'), pro: await issue('pro') };
}

/** Deletes the demo's accounts with their keys. */
export async function revokeDemoKeys(store: Store): Promise<void> {
  for (const email of Object.values(EMAILS)) await store.deleteAccount(email);
}

/** What a demo prints: requests to paste. */
export function describeDemo(address: string, keys: DemoKeys, { games }: View): string {
  const game = [...games.keys()][0];
  const requests = [
    `curl -H 'X-API-Key: ${keys.free}' '${address}/api/games'`,
    ...(game
      ? [
          `curl -g -H 'X-API-Key: ${keys.free}' '${address}/api/${game}/characters?rarity[gte]=5&sort=-stats.atk,name&limit=3&fields=name,rarity,stats.atk'`,
          `curl -H 'X-API-Key: ${keys.pro}' '${address}/api/${game}/pull_planner'`,
        ]
      : []),
    `curl -H 'X-API-Key: ${keys.pro}' '${address}/api/me'`,
  ];
  return `\nThe gateway is on ${address}. Try it, with a free and a Pro key that are good until it stops:\n\n${requests.join('\n')}\n\n`;
}
