import { exportAccount } from '../../gateway/people/privacy/personal-data.ts';
import type { Account, Tier } from '../../gateway/access/account.ts';
import { openStore } from '../../gateway/store/open-store.ts';
import type { Store } from '../../gateway/store/store.ts';
import { Fleet } from '../campaigns/fleet.ts';
import { startSmtp } from '../gateway/people/mail/smtp-server.ts';
import type { Tally } from './figures.ts';
import { openAccount } from './people.ts';
import { PLATFORM_SETTINGS } from './surface.ts';

/** Two strict gateways on one store, with the accounts of a victim and of an attacker. */
export interface ForgeryWorld {
  fleet: Fleet;
  store: Store;
  victim: Person;
  attacker: Person;
  tally: Tally;
  random(): number;
  /** Header fields of a client in another network than every other one. */
  elsewhere(): Record<string, string>;
  close(): Promise<void>;
}

/** A person with an account. */
export interface Person {
  account: Account;
  email: string;
  key: string;
}

/** Starts the gateways. */
export async function openForgeryWorld(tally: Tally, random: () => number): Promise<ForgeryWorld> {
  const smtp = await startSmtp();
  const env = { ...PLATFORM_SETTINGS, SMTP_URL: smtp.url, MAIL_FROM: 'Games <mail@example.org>' };
  const args = '--host 0.0.0.0 --public-url https://api.example.org --trusted-proxy 1'.split(' ');
  const fleet = await Fleet.open({ hasFront: false, env, args });
  const store = await openStore(fleet.store);
  const open = async (tier: Tier, email: string) => ({ email, ...(await openAccount(store, tier, email)) });
  let clients = 0;
  return {
    fleet,
    store,
    tally,
    random,
    victim: await open('pro', 'victim@example.org'),
    attacker: await open('free', 'attacker@example.org'),
    elsewhere() {
      clients++;
      return { 'x-forwarded-for': `10.${(clients >> 16) & 255}.${(clients >> 8) & 255}.${clients & 255}` };
    },
    async close() {
      await store.close();
      await fleet.close();
      await smtp.stop();
    },
  };
}

/** What a forgery could change about an account, as text. */
export async function describePerson(store: Store, { email }: Pick<Person, 'email'>): Promise<string> {
  const { account, keys, alerts, game_requests, memberships, sessions } = ((await exportAccount(
    store,
    email,
  )) ?? {}) as Record<string, unknown>;
  const named = (keys as { prefix: string; revoked_at: string | null }[] | undefined)?.map(
    ({ prefix, revoked_at }) => ({ prefix, revoked_at }),
  );
  return JSON.stringify({ account, named, alerts, game_requests, memberships, sessions });
}

/** Alters one character of a text at random. */
export function alterOne(text: string, random: () => number): string {
  const at = Math.floor(random() * text.length);
  const other = text[at] === 'a' ? 'b' : 'a';
  return text.slice(0, at) + other + text.slice(at + 1);
}
