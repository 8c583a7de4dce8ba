import { FORMS } from '../../gateway/people/account-pages/addresses.ts';
import { csrfTokenOf } from '../../gateway/people/accounts/session.ts';
import { createLink } from '../../gateway/people/mail/one-time-link.ts';
import { hashToken } from '../../gateway/people/accounts/token.ts';
import { pick } from '../campaigns/campaign.ts';
import { sendPlainly } from '../support/plain-request.ts';
import { alterOne, describePerson, type ForgeryWorld } from './forgery-world.ts';
import { openAccount, sendForm, SESSION_COOKIE, signIn } from './people.ts';

const HOUR_MS = 3_600_000;
/** How often a link is used at the same time. */
const AT_ONCE = 8;
/** What browsers send with a form of another site. */
const FOREIGN: Record<string, string>[] = [
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
  { 'sec-fetch-site': 'cross-site', origin: 'https://api.example.org' },
  { origin: 'https://other.example.org' },
  { origin: 'null' },
  { origin: 'https://api.example.org.evil.test' },
  { origin: 'http://api.example.org' },
  { origin: 'https://api.example.org:8443' },
];

/** Uses one-time links more often than once, too late, for another purpose, and links that were never made. */
export async function forgeLinks(world: ForgeryWorld): Promise<void> {
  const { store, tally, random, victim } = world;
  const number = Math.floor(random() * 1e9);
  const email = `new-${number}@example.org`;
  const make = async (purpose: 'signup' | 'sign-in', now = Date.now()) =>
    (await createLink(store, { purpose, email: purpose === 'signup' ? email : victim.email, now })).token;
  const token = await make('signup');
  const used = await Promise.all(Array.from({ length: AT_ONCE }, () => useLink(world, '/signup/key', token)));
  if (used.filter((isUsed) => isUsed).length !== 1)
    tally.gotThrough(`a link was used ${used.filter(Boolean).length} times`);
  const dead: [path: string, token: string][] = [
    ['/signup/key', token],
    ['/signup/key', alterOne(await make('signup'), random)],
    ['/signup/key', hashToken(await make('signup'))],
    ['/signup/key', await make('signup', Date.now() - HOUR_MS)],
    ['/signup/key', await make('sign-in')],
    ['/account/enter', await make('signup')],
    ['/account/enter', alterOne(await make('sign-in'), random)],
    ['/account/enter', await make('sign-in', Date.now() - HOUR_MS)],
    ['/account/enter', victim.key],
    ['/account/enter', ''],
    ['/account/enter', '__proto__'],
  ];
  for (const [path, forged] of dead) {
    if (await useLink(world, path, forged)) tally.gotThrough(`${path} accepted ${forged}`);
  }
}

/** @returns whether the link worked */
async function useLink({ fleet, random, tally, elsewhere }: ForgeryWorld, path: string, token: string) {
  tally.tried();
  const address = fleet.address(random() < 0.5 ? 0 : 1);
  const { status, headers } = await sendForm(`${address}${path}`, { token }, { headers: elsewhere() });
  return status < 400 || headers['set-cookie'] !== undefined;
}

/** Opens the account page with sessions that do not exist, have ended, or belong to someone else. */
export async function forgeSessions(world: ForgeryWorld): Promise<void> {
  const { store, tally, random, victim, fleet, elsewhere } = world;
  const live = await signIn(store, victim.account.id);
  const old = await signIn(store, victim.account.id, Date.now() - 2 * HOUR_MS);
  const left = await signIn(store, victim.account.id);
  const leave = await sendForm(
    `${fleet.address(0)}/account/leave`,
    {},
    { token: left, headers: elsewhere() },
  );
  if (leave.status !== 303) tally.gotThrough(`signing out got ${leave.status}`);
  const forged = [
    ...[old, left, alterOne(live, random), hashToken(live), live.slice(1), `${live}0`, live.toUpperCase()],
    ...[
      '',
      'a'.repeat(31),
      victim.key,
      victim.account.id,
      '__proto__',
      `${live}%00`,
      csrfTokenOf({ token: live }),
    ],
  ].map((token) => `${SESSION_COOKIE}=${token}`);
  const cookies = [...forged, `session=${live}`, `__host-session=${live}`, `x${SESSION_COOKIE}=${live}`];
  for (const cookie of cookies) {
    tally.tried();
    const headers = { cookie, ...elsewhere() };
    const { body } = await sendPlainly(`${fleet.address(1)}/account`, { headers });
    if (body.includes(victim.email)) tally.gotThrough(`the account page was shown to ${cookie}`);
  }
}

/** Sends the victim's forms from other sites, without or with another's CSRF token, and in other media types. */
export async function forgeForms(world: ForgeryWorld, paths: readonly string[]): Promise<void> {
  const { store, tally, random, victim, attacker } = world;
  const token = await signIn(store, victim.account.id);
  const other = await signIn(store, attacker.account.id);
  const before = await describePerson(store, victim);
  const fields = { ...FIELDS, email: victim.email, prefix: victim.key.slice(0, 12) };
  const valid = new URLSearchParams({ ...fields, csrf_token: csrfTokenOf({ token }) }).toString();
  const tokens = ['', csrfTokenOf({ token: other }), alterOne(csrfTokenOf({ token }), random), token];
  for (const path of paths) {
    const attempts = [
      ...FOREIGN.map((headers) => ({ headers, body: valid })),
      ...tokens.map((csrf_token) => ({
        headers: {},
        body: new URLSearchParams({ ...fields, csrf_token }).toString(),
      })),
      { headers: { 'content-type': 'text/plain' }, body: valid },
      { headers: { 'content-type': 'application/json' }, body: JSON.stringify(fields) },
      { headers: { 'content-type': 'multipart/form-data; boundary=x' }, body: valid },
      { headers: {}, body: `csrf_token=&${valid}` },
    ];
    for (const attempt of attempts) {
      tally.tried();
      const address = world.fleet.address(0) + path;
      const headers = { ...attempt.headers, ...world.elsewhere() };
      const { status } = await sendForm(address, {}, { token, headers, body: attempt.body });
      if (status < 400) tally.gotThrough(`${path} got ${status} with ${JSON.stringify(attempt)}`);
    }
  }
  const after = await describePerson(store, victim);
  if (before !== after) tally.gotThrough(`forms of other sites changed ${before} to ${after}`);
}

const FIELDS = {
  url: 'https://attacker.example.org/hook',
  mail: 'on',
  'follow.saga': 'on',
  name: 'A game',
  link: 'https://example.org/a-game',
  id: '1',
  change: 'remove',
  session: 'all',
};

/** Uses forms of the own session for what belongs to someone else. */
export async function takeOthers(world: ForgeryWorld): Promise<void> {
  const { store, tally, random, victim, fleet, elsewhere } = world;
  const email = `thief-${Math.floor(random() * 1e9)}@example.org`;
  const { account } = await openAccount(store, 'pro', email);
  const victimSession = await signIn(store, victim.account.id);
  const token = await signIn(store, account.id);
  const before = await describePerson(store, victim);
  const values = [
    victim.key.slice(0, 12),
    victim.key,
    victim.account.id,
    victim.email,
    hashToken(victimSession).slice(0, 16),
  ];
  for (const path of Object.values(FORMS)) {
    const value = pick(values, random);
    const fields = {
      prefix: value,
      key: value,
      id: value,
      account: value,
      session: value,
      email: value,
      delivery: value,
    };
    tally.tried();
    await sendForm(`${fleet.address(0)}${path}`, fields, { token, headers: elsewhere() });
  }
  const after = await describePerson(store, victim);
  if (before !== after) tally.gotThrough(`another account changed ${before} to ${after}`);
}
