import { createHmac } from 'node:crypto';

export const SECRET = 'a webhook secret';
export const TOKEN = '0b7e1c1e-6d3b-4f0a-9d5e-000000000000';

/** What buys Pro, and the secrets of the platforms. */
export const PLATFORM_SETTINGS = {
  PATREON_WEBHOOK_SECRET: SECRET,
  PATREON_MIN_CENTS: '500',
  PATREON_TIERS: 'Gold, 8348592',
  PATREON_CURRENCY: 'USD',
  KOFI_VERIFICATION_TOKEN: TOKEN,
  KOFI_TIERS: 'Gold,Silver',
  KOFI_MIN_AMOUNT: '5 EUR,6.50 usd',
};

/** The parts of a Patreon payload that tests change. */
export interface Member {
  email?: string | null;
  status?: string | null;
  charge?: string | null;
  chargedAt?: string | null;
  nextChargeAt?: string | null;
  cents?: number;
  tiers?: { id: string; title: string }[];
  user?: string;
}

/** Makes a payload as Patreon sends it for a patron who has paid. */
export function patreonPayload({
  email = 'ada@example.org',
  status = 'active_patron',
  charge = 'Paid',
  chargedAt = '2026-06-01T08:00:10.000+00:00',
  nextChargeAt = '2026-07-01T00:00:00.000+00:00',
  cents = 500,
  tiers = [],
  user = '719414',
}: Member = {}): string {
  const entities = tiers.map(({ id, title }) => ({
    type: 'tier',
    id,
    attributes: { title, amount_cents: 500 },
  }));
  return JSON.stringify({
    data: {
      attributes: {
        campaign_lifetime_support_cents: 5000,
        currently_entitled_amount_cents: cents,
        email,
        full_name: 'Ada Lovelace',
        is_follower: false,
        is_free_trial: false,
        last_charge_date: chargedAt,
        last_charge_status: charge,
        lifetime_support_cents: 5000,
        next_charge_date: nextChargeAt,
        note: '',
        patron_status: status,
        pledge_cadence: 1,
        pledge_relationship_start: '2024-03-07T07:34:51.725+00:00',
        will_pay_amount_cents: 500,
      },
      id: '52c7b310-8d73-4ce8-bfba-ef1caa58eb4e',
      relationships: {
        address: { data: null },
        campaign: { data: { id: '8290127', type: 'campaign' } },
        currently_entitled_tiers: { data: tiers.map(({ id }) => ({ id, type: 'tier' })) },
        user: {
          data: { id: user, type: 'user' },
          links: { related: `https://www.patreon.com/api/oauth2/v2/user/${user}` },
        },
      },
      type: 'member',
    },
    included: [
      { attributes: { vanity: 'games', patron_count: 259 }, id: '8290127', type: 'campaign' },
      { attributes: { full_name: 'Ada Lovelace' }, id: user, type: 'user' },
      ...entities,
    ],
    links: { self: 'https://www.patreon.com/api/oauth2/v2/members/52c7b310-8d73-4ce8-bfba-ef1caa58eb4e' },
  });
}

/** Makes the headers that Patreon sends with a body. */
export function patreonHeaders(
  body: string,
  event = 'members:update',
  secret = SECRET,
): Record<string, string> {
  return {
    'content-type': 'application/json',
    'x-patreon-event': event,
    'x-patreon-signature': createHmac('md5', secret).update(body).digest('hex'),
  };
}

/** Makes a body as Ko-fi sends it for a payment of a membership. */
export function kofiBody(changes: Record<string, unknown> = {}): string {
  const payment = {
    verification_token: TOKEN,
    message_id: 'dfdb9b8d-1f77-45de-a7a6-dc597b76a53c',
    timestamp: '2026-06-01T12:00:00Z',
    type: 'Subscription',
    is_public: true,
    from_name: 'Jo Example',
    message: 'Good luck & thanks!',
    amount: '5.00',
    url: 'https://ko-fi.com/Home/CoffeeShop?txid=00000000-1111-2222-3333-444444444444',
    email: 'jo@example.org',
    currency: 'USD',
    is_subscription_payment: true,
    is_first_subscription_payment: true,
    kofi_transaction_id: '00000000-1111-2222-3333-444444444444',
    shop_items: null,
    tier_name: 'Gold',
    shipping: null,
    ...changes,
  };
  return new URLSearchParams({ data: JSON.stringify(payment) }).toString();
}
