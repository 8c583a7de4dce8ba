// The tab with what an account follows, and the channels on which it gets alerts.
import { keysOf } from '../../../scripts/format/dist-format.ts';
import type { Limits } from '../../access/account.ts';
import { countUse } from '../../access/quota.ts';
import { type Content, type Html, html } from '../../http/html.ts';
import { InputError } from '../../http/problem.ts';
import * as alerts from '../alerts/channels.ts';
import { type Attempt, listAttempts, sendTest } from '../alerts/deliver.ts';
import { feedPath } from '../alerts/feed.ts';
import { code, field, type Fields, type Page, showTime } from '../web.ts';
import { type Form, scrollable, sessionForm, type Tab, type Visit } from './visit.ts';

const PATH = '/account/alerts';
const FOLLOW = '/account/alerts/follows';
const MAIL = '/account/alerts/mail';
const SET = '/account/alerts/webhook';
const CHANGE = '/account/alerts/webhook/change';
const RENEW_FEED = '/account/alerts/feed';
const REMOVE_FEED = '/account/alerts/feed/remove';
const TEST = '/account/alerts/test';
/** Prefix of the names of the fields for topics. */
const TOPIC_FIELD = 'follow.';
/** Enough for a field for each game. */
const MAX_FORM_BYTES = 64 * 1024;
/** Tests that one account may send. A webhook could be the address of someone else. */
const TEST_LIMITS: Limits = { minute: 3, day: 30 };

/** A form that accounts without Pro may not send. */
function forPro(apply: (visit: Visit, account: string) => Promise<unknown>): Form {
  return {
    maxBytes: MAX_FORM_BYTES,
    async apply(visit) {
      if (visit.tier !== 'pro')
        throw new InputError('alerts are for Pro, and this account is free. Nothing was changed', 403);
      return (await apply(visit, visit.session.account.id)) as Page | undefined;
    },
  };
}

export const alertsTab: Tab = {
  path: PATH,
  label: 'Alerts',
  async show(visit) {
    const { services, session, tier } = visit;
    const { store, follower, now } = services;
    const view = follower.catalog.viewAt(now(), tier);
    const subscription = await alerts.readSubscription(store, session.account.id);
    const follows = subscription.follows.filter((topic) => alerts.isSeen(topic, view));
    if (tier !== 'pro')
      return html`<h2 id="alerts">Alerts</h2>
        <p>With Pro you get alerts for new games, and for new builds of games that you follow: by webhook, in
        ${alerts.SERVICES.map((service) => `${alerts.CHATS[service].label}, `)}by mail, or in a feed. Pro comes with a
        <a href="#membership">membership</a>.</p>
        ${follows.length > 0 && html`<p>Your list of followed games is kept until then: ${follows.join(', ')}.</p>`}`;
    const attempts = await listAttempts(store, session.account.id);
    const head = ['Time', 'Channel', 'Event', 'Outcome', 'Took'];
    const test = html`<button type="submit" class="quiet">Send a test by each channel</button>`;
    return html`<h2 id="alerts">Alerts</h2>${followForm(visit, follows)}${await channelCards(visit, subscription)}
      <h3>Last deliveries</h3>
      ${attempts.length > 0 ? scrollable('Last deliveries', head, attempts.map(attemptRow)) : html`<p>None yet.</p>`}
      ${sessionForm(visit, TEST, test)}`;
  },
  forms: {
    [FOLLOW]: forPro(async (visit, account) => {
      const offered = topicsOf(visit).map(([topic]) => topic);
      const isChosen = (topic: string) => visit.fields.has(TOPIC_FIELD + topic);
      const remove = offered.filter((topic) => !isChosen(topic));
      await alerts.changeFollows(visit.services.store, account, { add: offered.filter(isChosen), remove });
    }),
    [MAIL]: forPro(({ services, fields }, account) =>
      alerts.setMail(services.store, account, fields.get('mail') === 'on'),
    ),
    [SET]: forPro(async ({ services: { store, policy }, fields, actor }, account) => {
      const address = (fields.get('url') ?? '').trim();
      await alerts.setAddress(store, account, address, { channel: readChannel(fields), policy, actor });
    }),
    [CHANGE]: forPro(({ services, fields, actor }, account) => {
      const channel = readChannel(fields);
      const changes = alerts.changesOf(channel);
      const what = changes.find((each) => each === fields.get('change'));
      if (what) return alerts.changeHook(services.store, account, { channel, what, actor });
      throw new InputError(`the form does not say what to change; expected ${changes.join(', ')}`);
    }),
    [RENEW_FEED]: forPro(async ({ services: { store, publicUrl }, actor }, account) => {
      return feedPage(publicUrl() + feedPath(await alerts.renewFeed(store, account, actor)));
    }),
    [REMOVE_FEED]: forPro(({ services, actor }, account) =>
      alerts.removeFeed(services.store, account, actor),
    ),
    [TEST]: forPro(sendTests),
  },
};

/** What can be followed, with titles: all games, new ones, and those that Pro sees. */
function topicsOf({ services: { follower, now } }: Visit): [topic: string, title: string][] {
  const { games, lost } = follower.catalog.viewAt(now(), 'pro');
  const slugs = [...games.values(), ...lost.values()].map(({ slug, title }): [string, string] => [
    slug,
    title,
  ]);
  return [[alerts.ALL_GAMES, 'All games'], [alerts.NEW_GAMES, 'New games'], ...slugs];
}

function readChannel(fields: Fields): alerts.PostChannel {
  const channel = alerts.POST_CHANNELS.find((each) => each === (fields.get('channel') ?? 'webhook'));
  if (channel) return channel;
  throw new InputError(`the form names no channel; expected ${alerts.POST_CHANNELS.join(', ')}`);
}

/** Sends a test by the channel that the form names, or else by all that are on. */
async function sendTests({ services: { store }, session: { account }, fields }: Visit): Promise<undefined> {
  const wanted = fields.get('channel');
  const on = alerts.channelsOf(await alerts.readSubscription(store, account.id));
  const channels = on.filter((channel) => wanted === undefined || channel === wanted);
  if (channels.length === 0)
    throw new InputError(
      wanted === undefined
        ? 'no channel is on: set one before you send a test'
        : 'that channel is off; set its address, or enable it, before you send a test',
    );
  const counted = await countUse(store, { what: 'alerts-test', account, limits: TEST_LIMITS });
  if (!counted.isAllowed)
    throw new InputError(`too many tests were sent; try again in ${counted.seconds} seconds`, 429);
  for (const channel of channels) await sendTest(store, account.id, channel);
}

function followForm(visit: Visit, follows: readonly string[]): Html {
  const boxes = topicsOf(visit).map(
    ([topic, title]) =>
      html`<label><input type="checkbox" name="${TOPIC_FIELD + topic}"${follows.includes(topic) && html` checked`}> ${title}</label>`,
  );
  return sessionForm(
    visit,
    FOLLOW,
    html`<fieldset class="follows"><legend>What you follow</legend>${boxes}</fieldset>
      <p><button type="submit">Save</button></p>`,
  );
}

/** A card for each channel: what it is set to, and the forms that change, test and remove it. */
async function channelCards(visit: Visit, subscription: alerts.Subscription): Promise<Html> {
  const { services, session } = visit;
  const on = alerts.channelsOf(subscription);
  const card = (title: string, channel: alerts.ChannelName | undefined, content: Content) =>
    html`<section class="panel"><h3>${title}</h3>${content}${
      channel !== undefined && on.includes(channel) && testForm(visit, channel)
    }</section>`;
  const secrets = await alerts.readSecrets(services.store, session.account.id);
  return html`<div class="account-cards">
    ${card('By mail', 'mail', mailForm(visit, subscription.mail))}
    ${card('By webhook', 'webhook', webhookForms(visit, subscription.hooks.webhook, secrets))}
    ${keysOf(alerts.CHATS).map((service) =>
      card(
        `In ${alerts.CHATS[service].label}`,
        service,
        chatForms(visit, service, subscription.hooks[service]),
      ),
    )}
    ${card('As a feed', undefined, feedForms(visit, subscription.feed))}</div>`;
}

function testForm(visit: Visit, channel: alerts.ChannelName): Html {
  const button = html`<button type="submit" class="quiet" name="channel" value="${channel}">Send a test</button>`;
  return sessionForm(visit, TEST, button);
}

function mailForm(visit: Visit, isOn: boolean): Html {
  const [current, value, verb] = isOn ? ['on', 'off', 'Turn off'] : ['off', 'on', 'Turn on'];
  const button = html`<button type="submit" name="mail" value="${value}">${verb}</button>`;
  return sessionForm(
    visit,
    MAIL,
    html`<p>Mails to ${visit.session.account.email} are ${current}. ${button}</p>`,
  );
}

const changeButton = (what: string, label: string) =>
  html`<button type="submit" name="change" value="${what}">${label}</button> `;

function webhookForms(
  visit: Visit,
  hook: alerts.Hook | undefined,
  secrets: alerts.WebhookSecrets | undefined,
): Html {
  const label = 'Address that receives the events, https://…';
  const form = addressForm(visit, 'webhook', { label, value: hook?.shown, isSet: hook !== undefined });
  if (!hook) return form;
  const secretButton = secrets?.earlier
    ? changeButton('end-earlier', 'End the earlier secret now')
    : changeButton('secret', 'New secret');
  return html`${form}${disabledNote(hook)}${secrets && secretNote(secrets)}${changeForm(visit, 'webhook', hook, secretButton)}`;
}

function chatForms(visit: Visit, service: alerts.ChatName, hook: alerts.Hook | undefined): Html {
  const { label, begins } = alerts.CHATS[service];
  const address = { label: `Address of a webhook of ${label}, ${begins}…`, isSet: hook !== undefined };
  const form = addressForm(visit, service, address);
  if (!hook) return form;
  return html`${form}${disabledNote(hook)}
    <p>${label} gets a message for each event, at <code>${hook.shown}</code></p>${changeForm(visit, service, hook)}`;
}

/** The form for the address of a channel, with what was typed into it before. */
function addressForm(
  visit: Visit,
  channel: alerts.PostChannel,
  { label, value, isSet }: { label: string; value?: string | undefined; isSet: boolean },
): Html {
  const { fields } = visit;
  const isTyped = (fields.get('channel') ?? 'webhook') === channel;
  return sessionForm(
    visit,
    SET,
    html`<input type="hidden" name="channel" value="${channel}">${field({
      label,
      ...{ id: channel === 'webhook' ? 'url' : `${channel}-url`, name: 'url', type: 'url' },
      value: (isTyped ? fields.get('url') : undefined) ?? value,
      more: { maxlength: 2048, required: true },
    })}<p><button type="submit">${isSet ? 'Change' : 'Set'}</button></p>`,
  );
}

function changeForm(
  visit: Visit,
  channel: alerts.PostChannel,
  hook: alerts.Hook,
  further: Content = '',
): Html {
  return sessionForm(
    visit,
    CHANGE,
    html`<input type="hidden" name="channel" value="${channel}">${hook.disabled && changeButton('enable', 'Enable')}
      ${further}${changeButton('remove', 'Remove')}`,
  );
}

function disabledNote({ disabled }: alerts.Hook): Content {
  return disabled && html`<p>The webhook is disabled since ${showTime(disabled.at)}: ${disabled.reason}.</p>`;
}

function secretNote({ current, earlier }: alerts.WebhookSecrets): Html {
  return html`<details><summary>Secret that signs the events</summary>
    <p><code>${current}</code>, used as <a href="https://www.standardwebhooks.com" rel="noreferrer">Standard Webhooks</a>
    describes.</p>
    ${
      earlier &&
      html`<p>The earlier secret, <code>${earlier.secret}</code>, is valid until ${showTime(earlier.until)}: each event is
      signed with both.</p>`
    }</details>`;
}

function feedForms(visit: Visit, hasFeed: boolean): Html {
  const renew = (label: string) =>
    sessionForm(visit, RENEW_FEED, html`<button type="submit">${label}</button>`);
  if (!hasFeed) return renew('Create a feed');
  const remove = html`<button type="submit">Remove the feed</button>`;
  return html`<p>You have a feed. Anyone who knows its address can read it.</p>${renew('New address')}
    ${sessionForm(visit, REMOVE_FEED, remove)}`;
}

/** Makes the page that shows the address of a feed once. */
function feedPage(address: string): Page {
  const body = html`${code(address)}
    <p><strong>Copy it now: it is not shown again.</strong> Anyone who knows it can read the feed. An earlier address no
    longer works.</p><p><a href="${PATH}">Back to the account</a></p>`;
  return { title: 'The address of your feed', body };
}

function attemptRow({ at, channel, event, attempt, outcome, detail, next_at, ms }: Attempt): Html {
  return html`<tr><td>${showTime(at)}</td><td>${channel}</td><td>${event.type} ${event.game} ${event.build}</td>
    <td>${outcome}${attempt > 1 && ` (attempt ${attempt})`}: ${detail}${
      next_at !== null && html`; next attempt ${showTime(next_at)}`
    }</td><td>${ms !== undefined && `${ms} ms`}</td></tr>`;
}
