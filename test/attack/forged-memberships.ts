import { createHash, createHmac } from 'node:crypto';
import { accountByEmail } from '../../gateway/people/accounts/account-records.ts';
import { kofiBody, patreonHeaders, patreonPayload } from '../gateway/people/membership/payloads.ts';
import { sendPlainly } from '../support/plain-request.ts';
import { alterOne, describePerson, type ForgeryWorld } from './forgery-world.ts';
import { openAccount } from './people.ts';
import { PLATFORM_SETTINGS } from './surface.ts';

const SECRET = PLATFORM_SETTINGS.PATREON_WEBHOOK_SECRET;
const TOKEN = PLATFORM_SETTINGS.KOFI_VERIFICATION_TOKEN;
const DAY_MS = 86_400_000;
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

interface Webhook {
  platform: 'patreon' | 'ko-fi';
  headers: Record<string, string | string[]>;
  body: string;
}

/** Sends webhooks that no platform has sent. Each would make the attacker Pro. */
export async function forgeMemberships(world: ForgeryWorld): Promise<void> {
  const { store, attacker, victim, tally } = world;
  const before = [await describePerson(store, attacker), await describePerson(store, victim)];
  for (const webhook of forgeries(world)) {
    tally.tried();
    const status = await post(world, webhook);
    if (status < 400 || status >= 500)
      tally.gotThrough(`a forged webhook got ${status}: ${JSON.stringify(webhook)}`);
  }
  const after = [await describePerson(store, attacker), await describePerson(store, victim)];
  if (String(before) !== String(after)) tally.gotThrough(`forged webhooks changed an account: ${after}`);
  await replay(world);
}

function forgeries({ attacker: { email }, random }: ForgeryWorld): Webhook[] {
  const body = patreonPayload({ email, user: '1' });
  const valid = patreonHeaders(body, 'members:update', SECRET);
  const signature = valid['x-patreon-signature'] as string;
  const sign = (algorithm: string, key: string) => createHmac(algorithm, key).update(body).digest('hex');
  const signatures: (string | string[])[] = [
    '',
    signature.slice(1),
    `${signature}0`,
    alterOne(signature, random),
    sign('md5', ''),
    sign('md5', 'undefined'),
    sign('sha256', SECRET),
    createHash('md5').update(body).digest('hex'),
    Buffer.from(signature, 'hex').toString('base64'),
    [signature, signature],
    `sha256=${signature}`,
    '0'.repeat(32),
  ];
  const altered = [
    body.replace(email, 'another@example.org'),
    `${body} `,
    body.slice(0, -1),
    alterOne(body, random),
    '',
    `${body}${body}`,
  ];
  const { 'x-patreon-signature': _, ...unsigned } = valid;
  const kofi = [
    undefined,
    '',
    null,
    0,
    true,
    [TOKEN],
    { [TOKEN]: 1 },
    TOKEN.slice(1),
    `${TOKEN} `,
    TOKEN.toUpperCase(),
  ];
  return [
    { platform: 'patreon', headers: unsigned, body },
    ...signatures.map(
      (value): Webhook => ({
        platform: 'patreon',
        headers: { ...valid, 'x-patreon-signature': value },
        body,
      }),
    ),
    ...altered.map((other): Webhook => ({ platform: 'patreon', headers: valid, body: other })),
    ...kofi.map(
      (value): Webhook => ({
        platform: 'ko-fi',
        headers: FORM,
        body: kofiBody({ email, verification_token: value }),
      }),
    ),
    {
      platform: 'ko-fi',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ verification_token: TOKEN, email }),
    },
    { platform: 'ko-fi', headers: valid, body },
    { platform: 'patreon', headers: valid, body: kofiBody({ email, verification_token: TOKEN }) },
    { platform: 'ko-fi', headers: FORM, body: `${kofiBody({ email })}&verification_token=${TOKEN}` },
  ];
}

async function post(
  { fleet, elsewhere, random }: ForgeryWorld,
  { platform, headers, body }: Webhook,
): Promise<number> {
  const address = fleet.address(random() < 0.5 ? 0 : 1);
  const all = { ...headers, ...elsewhere() };
  return (await sendPlainly(`${address}/webhooks/${platform}`, { method: 'POST', headers: all, body }))
    .status;
}

/** Sends webhooks as the platforms do, and sends what was recorded of them again after they no longer hold. */
async function replay(world: ForgeryWorld): Promise<void> {
  const { store, tally, random } = world;
  const number = Math.floor(random() * 1e9);
  const email = `member-${number}@example.org`;
  const isoIn = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString();
  const user = String(number);
  const times = { chargedAt: isoIn(-1), nextChargeAt: isoIn(29) };
  const paid = patreonPayload({ email, user, ...times });
  const refunded = patreonPayload({ email, user, ...times, charge: 'Refunded' });
  const patreon = (body: string): Webhook => ({
    platform: 'patreon',
    headers: patreonHeaders(body, 'members:update', SECRET),
    body,
  });
  const kofi: Webhook = {
    platform: 'ko-fi',
    headers: FORM,
    body: kofiBody({ email, verification_token: TOKEN, message_id: user }),
  };
  await openAccount(store, 'free', email);
  await expectPro(world, email, false, 'before a payment');
  await post(world, patreon(paid));
  await expectPro(world, email, true, 'after a payment');
  await post(world, patreon(refunded));
  await expectPro(world, email, false, 'after a refund');
  await Promise.all([post(world, patreon(paid)), post(world, patreon(paid)), post(world, patreon(paid))]);
  await expectPro(world, email, false, 'after the payment was sent again');
  await post(world, kofi);
  const until = await expectPro(world, email, true, 'after a payment on Ko-fi');
  await Promise.all([post(world, kofi), post(world, kofi)]);
  const later = await expectPro(world, email, true, 'after the payment on Ko-fi was sent again');
  if (until !== later)
    tally.gotThrough(`a payment that was sent again made Pro last until ${later} instead of ${until}`);
  tally.tried(5);
}

/** @returns until when the account is Pro */
async function expectPro({ store, tally }: ForgeryWorld, email: string, isPro: boolean, when: string) {
  const { account } = (await accountByEmail(store, email)) ?? {};
  if ((account?.tier === 'pro') !== isPro) tally.gotThrough(`${email} has the tier ${account?.tier} ${when}`);
  return account?.pro_until;
}
