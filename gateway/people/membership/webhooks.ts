// The platforms that sell memberships, and the addresses of their webhooks.
// Patreon (https://docs.patreon.com/#webhooks) signs with an HMAC-MD5 of the body. A report is the state of a member as of the last charge.
// Ko-fi (https://ko-fi.com/manage/webhooks) sends a token, and identifies members only by their email addresses.

import { createHash, createHmac } from 'node:crypto';
import { CommandError } from '../../../scripts/system.ts';
import { readBody } from '../../http/html.ts';
import { type Endpoint, parseRawQuery } from '../../http/incoming.ts';
import { HttpProblem } from '../../http/problem.ts';
import { PLATFORM } from '../../store/audit.ts';
import { readEmail } from '../../store/email.ts';
import { isSameSecret } from '../../store/secrets.ts';
import type { Needs } from '../people.ts';
import { applyEvents, type MembershipEvent, type Standing } from './membership.ts';
import { type Environment, type Payload, type Platform, readNameList, readPayload } from './platform.ts';

const wrongSetting = (message: string) => new CommandError(message, 2);

/** How long Pro lasts after `next_charge_date`: Patreon retries a declined charge for some days. */
const GRACE_DAYS = 7;
const DAY_MS = 86_400_000;
/** The longest gift that Patreon sells, and trial that it offers. Patreon reports their end; these limits apply if the report is lost. */
const MAX_MONTHS = { gift: 12, trial: 1 };

/** @returns undefined if no setting of Patreon is set @throws CommandError */
function createPatreon(environment: Environment): Platform | undefined {
  const { PATREON_WEBHOOK_SECRET: secret, PATREON_TIERS, PATREON_MIN_CENTS, PATREON_CURRENCY } = environment;
  if (!secret && !PATREON_TIERS && !PATREON_MIN_CENTS) return undefined;
  if (PATREON_MIN_CENTS && !/^[1-9]\d{0,6}$/.test(PATREON_MIN_CENTS))
    throw wrongSetting(
      `PATREON_MIN_CENTS is ${JSON.stringify(PATREON_MIN_CENTS)}; expected a whole number of cents, such as 500 for 5.00`,
    );
  const terms = {
    /** Tiers that include Pro, by their ids or titles. */
    tiers: readNameList(PATREON_TIERS),
    minCents: PATREON_MIN_CENTS ? Number(PATREON_MIN_CENTS) : Number.POSITIVE_INFINITY,
    /** Of `minCents`; undefined if it does not matter. */
    currency: PATREON_CURRENCY?.toUpperCase() || undefined,
  };
  if (terms.tiers.size === 0 && terms.minCents === Number.POSITIVE_INFINITY)
    throw wrongSetting(
      'PATREON_WEBHOOK_SECRET is set, but no setting says what buys Pro; set PATREON_TIERS=<ids or titles> or PATREON_MIN_CENTS=500',
    );
  return {
    name: 'patreon',
    columns: Object.values(COLUMNS),
    ...(secret && {
      readWebhook(headers, body, now) {
        const expected = createHmac('md5', secret).update(body).digest('hex');
        const sent = String(headers['x-patreon-signature'] ?? '').toLowerCase();
        const wrong = 'X-Patreon-Signature does not match the body and the secret of the webhook';
        if (!isSameSecret(sent, expected)) throw new HttpProblem('invalid-link', wrong);
        const name = String(headers['x-patreon-event'] ?? '');
        if (!/^members:[a-z:]{1,30}$/.test(name)) return { name: 'other', ignored: 'not about a member' };
        const state = readMember(readPayload(body.toString()), now);
        return toEvent(name, state, terms);
      },
    }),
    readRow: (row) => toEvent('export', readRow(row), terms),
  };
}

/** The fields of a member in a webhook, and its columns in an export. */
const MEMBER = {
  user: 'data.relationships.user.data.id',
  email: 'data.attributes.email',
  status: 'data.attributes.patron_status',
  charge: 'data.attributes.last_charge_status',
  charged: 'data.attributes.last_charge_date',
  next: 'data.attributes.next_charge_date',
};
const COLUMNS = {
  email: 'Email',
  status: 'Patron Status',
  charge: 'Last Charge Status',
  user: 'User ID',
  charged: 'Last Charge Date',
  next: 'Next Charge Date',
};

type State = ReturnType<typeof readRow>;
interface Terms {
  tiers: ReadonlySet<string>;
  minCents: number;
  currency: string | undefined;
}

function readCommon(from: Payload, names: typeof MEMBER) {
  return {
    user: from.need('text', names.user),
    email: from.text(names.email),
    // `Active patron` in exports. Other values, such as those of followers and free members, do not mean a patron.
    patronStatus: from.text(names.status)?.toLowerCase().replace(' ', '_') ?? null,
    chargeStatus: from.text(names.charge),
    chargedAt: from.time(names.charged),
    nextChargeAt: from.time(names.next),
  };
}

/** Reads the payload of a webhook. Its documentation allows most of it to be null or absent. */
function readMember(from: Payload, reportedAt: number): State {
  const entitled = from
    .list('data.relationships.currently_entitled_tiers.data')
    .map((tier) => tier.need('text', 'id'));
  const titles = from
    .list('included')
    .filter((each) => each.get('type') === 'tier' && entitled.includes(String(each.get('id'))))
    .flatMap((tier) => tier.text('attributes.title') ?? []);
  const is = (name: string) => from.get(`data.attributes.${name}`) === true;
  return {
    ...readCommon(from, MEMBER),
    tiers: [...entitled, ...titles],
    cents: from.count('data.attributes.currently_entitled_amount_cents') ?? 0,
    cadence: from.count('data.attributes.pledge_cadence') ?? 1,
    currency: null,
    given: is('is_gifted') ? 'gift' : is('is_free_trial') ? 'trial' : undefined,
    reportedAt,
  };
}

/** Reads a row of an export. */
function readRow(row: Payload) {
  return {
    ...readCommon(row, COLUMNS),
    tiers: [row.text('Tier') ?? ''],
    /** The price of a period, and its length in months. */
    cents: Math.round((row.amount('Pledge Amount') ?? 0) * 100),
    cadence: /annual|year/i.test(row.text('Charge Frequency') ?? '') ? 12 : 1,
    /** Only in exports; the amounts of webhooks are in the currency of the campaign. */
    currency: row.text('Currency')?.toUpperCase() ?? null,
    /** What is Pro without a charge, and when a webhook reported the state. */
    given: undefined as keyof typeof MAX_MONTHS | undefined,
    reportedAt: null as number | null,
  };
}

function toEvent(name: string, state: State, terms: Terms): MembershipEvent {
  const [standing, reason] = judge(state, terms);
  const until = standing === 'active' || standing === 'given' ? endOf(state) : null;
  const paid = until === null ? null : { until, grace: until + GRACE_DAYS * DAY_MS };
  const about = { name, member: state.user, email: readEmail(state.email ?? '') };
  return { ...about, charged_at: state.chargedAt, standing, reason, paid };
}

/** Returns the end of the paid period: the next charge, or one period after the last charge if Patreon does not report the next. */
function endOf({ nextChargeAt, chargedAt, chargeStatus, cadence, given, reportedAt }: State): number | null {
  if (nextChargeAt !== null && nextChargeAt > (chargedAt ?? 0)) return nextChargeAt;
  const begun = given ? reportedAt : (chargedAt ?? reportedAt);
  if (begun === null) return null;
  const end = new Date(begun);
  const day = end.getUTCDate();
  const kind = given ?? (chargeStatus === 'Free Trial' ? 'trial' : undefined);
  end.setUTCMonth(end.getUTCMonth() + (kind ? MAX_MONTHS[kind] : Math.max(1, cadence)));
  // The month may be too short for the day.
  return end.getUTCDate() === day ? end.getTime() : end.setUTCDate(0);
}

/** The status decides, not the event's name: Patreon sends no deletion for a member who cancels after paying. */
function judge(state: State, { tiers, minCents, currency }: Terms): [standing: Standing, whyNotPro?: string] {
  const { patronStatus, chargeStatus } = state;
  const isEntitled = state.tiers.some((tier) => tiers.has(tier));
  if (/^(?:Refunded|Fraud)/.test(chargeStatus ?? ''))
    return ['revoked', `the last charge was reversed: ${chargeStatus}`];
  if (state.given) return isEntitled ? ['given'] : ['revoked', 'the gift or trial has no tier that buys Pro'];
  if (patronStatus === 'declined_patron') return ['undecided', 'the last charge was declined'];
  if (patronStatus !== 'active_patron') return ['cancelled', 'not a patron any more, or never'];
  if (chargeStatus !== 'Paid' && chargeStatus !== 'Free Trial')
    return ['undecided', `the last charge is ${chargeStatus ?? 'not known'}, not Paid`];
  const standing = chargeStatus === 'Free Trial' ? 'given' : 'active';
  if (isEntitled) return [standing];
  const why = 'its tiers do not buy Pro';
  if (minCents === Number.POSITIVE_INFINITY) return ['unentitled', why];
  if (currency !== undefined && state.currency !== null && state.currency !== currency)
    return ['unentitled', `${why}, and its amount is in ${state.currency}, not in ${currency}`];
  const monthly = Math.floor(state.cents / Math.max(1, state.cadence));
  if (monthly >= minCents) return [standing];
  return ['unentitled', `${why}, and it pays ${monthly} cents a month of ${minCents}`];
}

/** How many days a payment covers: a month, and some days until the next payment arrives. Ko-fi does not report cancellations. */
const PAID_DAYS = 35;
const MINIMUM = /^(\d{1,7}(?:\.\d{1,2})?) ?([A-Za-z]{3})$/;

/** The fields of a payment in a webhook, and its columns in an export: email address, amount, currency, tier, time. */
type PaymentFields = readonly [email: string, amount: string, currency: string, tier: string, at: string];
const KOFI_FIELDS: PaymentFields = ['email', 'amount', 'currency', 'tier_name', 'timestamp'];
const KOFI_COLUMNS: PaymentFields = ['BuyerEmail', 'Received', 'Currency', 'Item', 'DateTime (UTC)'];

/** @returns undefined if no setting of Ko-fi is set @throws CommandError */
function createKofi(environment: Environment): Platform | undefined {
  const { KOFI_VERIFICATION_TOKEN: token, KOFI_TIERS, KOFI_MIN_AMOUNT } = environment;
  if (!token && !KOFI_TIERS && !KOFI_MIN_AMOUNT) return undefined;
  const tiers = readNameList(KOFI_TIERS);
  /** Currency → minimum amount. */
  const minimums = new Map(
    [...readNameList(KOFI_MIN_AMOUNT)].map((part) => {
      const [, amount, currency = ''] = MINIMUM.exec(part) ?? [];
      if (amount !== undefined) return [currency.toUpperCase(), Number(amount)] as const;
      throw wrongSetting(
        `KOFI_MIN_AMOUNT has ${JSON.stringify(part)}; expected amounts with their currencies, such as 5 EUR,6 USD`,
      );
    }),
  );
  if (tiers.size === 0 && minimums.size === 0)
    throw wrongSetting(
      'KOFI_VERIFICATION_TOKEN is set, but no setting says what buys Pro; set KOFI_TIERS=<names> or KOFI_MIN_AMOUNT="5 EUR,6 USD"',
    );
  const toEvent = (name: string, from: Payload, isForSubscription: boolean, fields: PaymentFields) => {
    if (!isForSubscription) return { name, ignored: 'not for a subscription' };
    const [email, amount, currency, tier, at] = fields;
    const [paid, charged_at] = [from.need('amount', amount), from.need('time', at)];
    const minimum = minimums.get(from.need('text', currency).toUpperCase()) ?? Number.POSITIVE_INFINITY;
    if (paid < minimum && !tiers.has(from.text(tier) ?? ''))
      return { name, ignored: 'its tier and amount do not buy Pro' };
    const address = readEmail(from.text(email) ?? '');
    if (address === undefined) return { name, ignored: 'without an email address' };
    // Logs and lists of member ids must not reveal email addresses.
    const member = createHash('sha256').update(address).digest('base64url').slice(0, 22);
    const until = charged_at + PAID_DAYS * DAY_MS;
    const about = { name, member, email: address, charged_at };
    return { ...about, standing: 'active' as const, paid: { until, grace: until } };
  };
  return {
    name: 'ko-fi',
    columns: ['DateTime (UTC)', 'Received', 'Currency', 'TransactionType', 'BuyerEmail'],
    ...(token && {
      readWebhook(_, body) {
        const from = readPayload(parseRawQuery(body.toString())?.find(([name]) => name === 'data')?.[1]);
        const sent = from.get('verification_token');
        const wrong = 'verification_token is not the token that Ko-fi shows for the webhook';
        if (typeof sent !== 'string' || !isSameSecret(sent, token))
          throw new HttpProblem('invalid-link', wrong);
        const isForSubscription = from.get('is_subscription_payment') === true;
        return toEvent('payment', from, isForSubscription, KOFI_FIELDS);
      },
    }),
    readRow(row) {
      const isForSubscription = /subscription|membership|monthly/i.test(row.text('TransactionType') ?? '');
      return toEvent('export', row, isForSubscription, KOFI_COLUMNS);
    },
  };
}

export const PLATFORM_NAMES = ['patreon', 'ko-fi'];

/**
 * Returns the platforms that the environment configures. To add one, write a function, and add it here and to the names.
 *
 * @throws CommandError if a setting is wrong
 */
export function readPlatforms(environment: Environment): Platform[] {
  return [createPatreon, createKofi].flatMap((create) => create(environment) ?? []);
}

type WebhookServices = Needs<'platforms' | 'store' | 'log' | 'now' | 'clientAddress' | 'badAttempts'>;

/** Larger payloads get a 413. */
const MAX_PAYLOAD_BYTES = 64 * 1024;

/**
 * The endpoints `POST /webhooks/<name>`. One whose secret is not set responds 404. An accepted webhook gets a 204; platforms repeat others, which is
 * harmless.
 */
export function webhookEndpoints(services: WebhookServices): Endpoint[] {
  const { platforms, store, log, now, clientAddress, badAttempts } = services;
  return PLATFORM_NAMES.map((platform) => {
    const readWebhook = platforms.find(({ name }) => name === platform)?.readWebhook;
    const post: Endpoint['post'] = async (request, response) => {
      if (!readWebhook) throw new HttpProblem('not-found', 'no webhook is configured at this address');
      const body = await readBody(request, MAX_PAYLOAD_BYTES);
      let event: ReturnType<typeof readWebhook>;
      try {
        event = readWebhook(request.headers, body, now());
      } catch (error) {
        if (!(error instanceof HttpProblem)) throw error;
        badAttempts.refuse(clientAddress(request), error.message);
        log.error('a webhook was refused', { platform, reason: error.message });
        throw error;
      }
      const effect =
        'ignored' in event
          ? `ignored: ${event.ignored}`
          : describeOutcome(await applyEvents(store, platform, [event], { actor: PLATFORM }));
      const reason = 'reason' in event && { reason: event.reason };
      log.info('webhook', { platform, event: event.name, effect, ...reason });
      response.writeHead(204, { 'Cache-Control': 'no-store' }).end();
    };
    return { path: `/webhooks/${platform}`, post };
  });
}

/** Describes the effect of events for the log. */
function describeOutcome({ before, after, hasAccount }: Awaited<ReturnType<typeof applyEvents>>): string {
  const waiting = hasAccount || after === null ? '' : ', waiting for an account';
  if (before === after) return `unchanged${waiting}`;
  return after === null ? 'Pro ended' : `Pro until ${after}${waiting}`;
}
