import { type Reader, type Transaction, table } from '../../store/records.ts';

/** A network that an account was signed in from. */
interface KnownNetwork {
  /** As `networkOf` returns it. */
  network: string;
  /** When it was last signed in from, ms since 1970. */
  at: number;
}

/** Account id → the networks of its recent sign-ins, the latest last. */
const NETWORKS = table<KnownNetwork[]>('known-networks');
/** How many networks of an account are remembered. */
const MAX_NETWORKS = 20;
const KEEP_MS = 90 * 86_400_000;

/**
 * Notes a sign-in.
 *
 * @param account the account's id
 * @param now ms since 1970
 * @returns whether the account was not signed in from this network in the last 90 days
 */
export async function noteNetwork(
  transaction: Transaction,
  account: string,
  network: string,
  now: number,
): Promise<boolean> {
  const networks = ((await transaction.read(NETWORKS, account)) ?? []).filter(({ at }) => at > now - KEEP_MS);
  const others = networks.filter((each) => each.network !== network);
  const newest = [...others, { network, at: now }].slice(-MAX_NETWORKS);
  await transaction.put(NETWORKS, account, newest, now + KEEP_MS);
  return others.length === networks.length;
}

/** Returns the networks of an account's recent sign-ins. */
export async function networksOf(
  transaction: Reader,
  account: string,
): Promise<{ network: string; last_used_at: string }[]> {
  const networks = (await transaction.read(NETWORKS, account)) ?? [];
  return networks.map(({ network, at }) => ({ network, last_used_at: new Date(at).toISOString() }));
}

/** Forgets the networks of a deleted account. */
export async function removeNetworks(transaction: Transaction, account: string): Promise<void> {
  await transaction.remove(NETWORKS, account);
}
