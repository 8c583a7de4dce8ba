// The tab with what an account follows, and its alert channels.
import { countUse } from '../../access/quota.ts';
import { type Content, type Html, html } from '../../http/html.ts';
import { InputError } from '../../http/problem.ts';
import * as alerts from '../alerts/channels.ts';
import { listAttempts, sendTest } from '../alerts/deliver.ts';
import { feedPath } from '../alerts/feed.ts';
import { code, field, type Page, showTime, submit } from '../web.ts';
import { type AccountPage, scrollable, sessionForm, type Visit } from './visit.ts';

const PATH = '/account/alerts';
const FOLLOW = '/account/alerts/follows';
const MAIL = '/account/alerts/mail';
const SET = '/account/alerts/webhook';
const CHANGE = '/account/alerts/webhook/change';
const RENEW_FEED = '/account/alerts/feed';
const REMOVE_FEED = '/account/alerts/feed/remove';
const TEST = '/account/alerts/test';
/** The names of the fields for topics begin with this. */
const TOPIC_FIELD = 'follow.';
/** How many tests one account may send: the address of a webhook may belong to someone else. */
const TEST_LIMITS = { minute: 3, day: 30 };

/** A form that accounts without Pro may not send. */
function forPro(apply: (visit: Visit, account: string) => Promise<unknown>) {
  return async (visit: Visit) => {
    if (visit.tier === 'pro') return await apply(visit, visit.account.id);
    throw new InputError('alerts are for Pro, and this account is free. Nothing was changed', 403);
  };
}

export const alertsTab: AccountPage = {
  path: PATH,
  label: 'Alerts',
  async show(visit) {
    const { services, account, store, tier } = visit;
    const view = services.follower.catalog.viewAt(services.now(), tier);
    const subscription = await alerts.readSubscription(store, account.id);
    const follows = subscription.follows.filter((topic) => alerts.isSeen(topic, view));
    if (tier !== 'pro')
      return html`<h2 id="alerts">Alerts</h2>
        <p>With Pro you get alerts for new games, and for new builds of games that you follow: by webhook, in
        ${alerts.SERVICES.map((service) => `${alerts.CHATS[service].label}, `)}by mail, or in a feed. Pro comes with a
        <a href="#membership">membership</a>.</p>
        ${follows.length > 0 && html`<p>Your list of followed games is kept until then: ${follows.join(', ')}.</p>`}`;
    const boxes = topicsOf(visit).map(
      ([topic, title]) =>
        html`<label><input type="checkbox" name="${TOPIC_FIELD + topic}"${follows.includes(topic) && html` checked`}> ${title}</label>`,
    );
    const rows = (await listAttempts(store, account.id)).map((each) => {
      const { at, channel, event, attempt, outcome, detail, next_at, ms } = each;
      return html`<tr><td>${showTime(at)}</td><td>${channel}</td><td>${event.type} ${event.game} ${event.build}</td>
        <td>${outcome}${attempt > 1 && ` (attempt ${attempt})`}: ${detail}${
          next_at !== null && html`; next attempt ${showTime(next_at)}`
        }</td><td>${ms !== undefined && `${ms} ms`}</td></tr>`;
    });
    const head = ['Time', 'Channel', 'Event', 'Outcome', 'Took'];
    const test = html`<button type="submit" class="quiet">Send a test by each channel</button>`;
    return html`<h2 id="alerts">Alerts</h2>${sessionForm(
      visit,
      FOLLOW,
      html`<fieldset class="follows"><legend>What you follow</legend>${boxes}</fieldset>${submit('Save')}`,
    )}${channelCards(visit, subscription)}
      <h3>Last deliveries</h3>
      ${scrollable('Last deliveries', head, rows, html`<p>None yet.</p>`)}
      ${sessionForm(visit, TEST, test)}`;
  },
  forms: {
    [FOLLOW]: forPro(async (visit, account) => {
      const offered = topicsOf(visit).map(([topic]) => topic);
      const isChosen = (topic: string) => visit.fields.has(TOPIC_FIELD + topic);
      const remove = offered.filter((topic) => !isChosen(topic));
      await alerts.changeFollows(visit.store, account, { add: offered.filter(isChosen), remove });
    }),
    [MAIL]: forPro(({ store, typed }, account) => alerts.setMail(store, account, typed('mail') === 'on')),
    [SET]: forPro(async (visit, account) => {
      const { store, services, actor } = visit;
      const setting = { channel: readChannel(visit), policy: services.policy, actor };
      await alerts.setAddress(store, account, visit.typed('url').trim(), setting);
    }),
    [CHANGE]: forPro((visit, account) => {
      const channel = readChannel(visit);
      const changes = alerts.HOOK_CHANGES.slice(0, channel === 'webhook' ? undefined : 2);
      const what = changes.find((each) => each === visit.typed('change'));
      if (what) return alerts.changeHook(visit.store, account, { channel, what, actor: visit.actor });
      throw new InputError(`the form does not say what to change; expected ${changes.join(', ')}`);
    }),
    [RENEW_FEED]: forPro(async ({ store, services, actor }, account): Promise<Page> => {
      const address = services.publicUrl() + feedPath(await alerts.renewFeed(store, account, actor));
      const body = html`${code(address)}
        <p><strong>Copy it now: it is not shown again.</strong> Anyone who knows it can read the feed. An earlier address no
        longer works.</p><p><a href="${PATH}">Back to the account</a></p>`;
      return { title: 'The address of your feed', body };
    }),
    [REMOVE_FEED]: forPro(({ store, actor }, account) => alerts.removeFeed(store, account, actor)),
    [TEST]: forPro(sendTests),
  },
};

/** The topics that can be followed, with titles: all games, new games, and each game that Pro sees. */
function topicsOf({ services: { follower, now } }: Visit): [topic: string, title: string][] {
  const { games, lost } = follower.catalog.viewAt(now(), 'pro');
  const slugs = [...games.values(), ...lost.values()].map(({ slug, title }): [string, string] => [
    slug,
    title,
  ]);
  return [[alerts.ALL_GAMES, 'All games'], [alerts.NEW_GAMES, 'New games'], ...slugs];
}

function readChannel({ fields }: Visit): alerts.PostChannel {
  const channel = alerts.POST_CHANNELS.find((each) => each === (fields.get('channel') ?? 'webhook'));
  if (channel) return channel;
  throw new InputError(`the form names no channel; expected ${alerts.POST_CHANNELS.join(', ')}`);
}

/** Sends a test to the channel that the form names, otherwise to every channel that is on. */
async function sendTests({ store, account, fields }: Visit): Promise<void> {
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

/** One card per channel: its setting, and the forms that change, test and remove it. */
function channelCards(visit: Visit, subscription: alerts.Subscription): Html {
  const on = alerts.channelsOf(subscription);
  const { mail, feed } = subscription.channels;
  const card = (title: string, channel: alerts.ChannelName | undefined, content: Content) => {
    const button = html`<button type="submit" class="quiet" name="channel" value="${channel}">Send a test</button>`;
    const test = channel !== undefined && on.includes(channel) && sessionForm(visit, TEST, button);
    return html`<section class="panel"><h3>${title}</h3>${content}${test}</section>`;
  };
  const [current, value, verb] = mail ? ['on', 'off', 'Turn off'] : ['off', 'on', 'Turn on'];
  const turn = html`<p>Mails to ${visit.account.email} are ${current}. <button type="submit" name="mail" value="${value}">${verb}</button></p>`;
  const renew = (label: string) =>
    sessionForm(visit, RENEW_FEED, html`<button type="submit">${label}</button>`);
  const feedForms =
    feed &&
    html`<p>You have a feed. Anyone who knows its address can read it.</p>${renew('New address')}
      ${sessionForm(visit, REMOVE_FEED, html`<button type="submit">Remove the feed</button>`)}`;
  return html`<div class="account-cards">
    ${card('By mail', 'mail', sessionForm(visit, MAIL, turn))}
    ${alerts.POST_CHANNELS.map((channel) => {
      const title = channel === 'webhook' ? 'By webhook' : `In ${alerts.CHATS[channel].label}`;
      return card(title, channel, hookForms(visit, channel, subscription.channels[channel]));
    })}
    ${card('As a feed', undefined, feedForms ?? renew('Create a feed'))}</div>`;
}

/** The settings of a channel that posts: its address, its secrets, and the buttons that change it. */
function hookForms(visit: Visit, channel: alerts.PostChannel, hook: alerts.ChannelRow | undefined): Html {
  const { fields } = visit;
  const chat = channel === 'webhook' ? undefined : alerts.CHATS[channel];
  const isTyped = (fields.get('channel') ?? 'webhook') === channel;
  const named = html`<input type="hidden" name="channel" value="${channel}">`;
  const address = field({
    label: chat
      ? `Address of a webhook of ${chat.label}, ${chat.begins}…`
      : 'Address that receives the events, https://…',
    ...{ id: chat ? `${channel}-url` : 'url', name: 'url', type: 'url' },
    value: (isTyped ? fields.get('url') : undefined) ?? (chat ? undefined : (hook?.shown ?? undefined)),
    more: { maxlength: 2048, required: true },
  });
  const form = sessionForm(visit, SET, html`${named}${address}${submit(hook ? 'Change' : 'Set')}`);
  if (!hook) return form;
  const disabled = alerts.disabledOf(hook);
  const secrets = alerts.readSecrets(visit.store, hook);
  const button = (what: alerts.HookChange, label: string) =>
    html`<button type="submit" name="change" value="${what}">${label}</button> `;
  const renew = secrets?.earlier
    ? button('end-earlier', 'End the earlier secret now')
    : button('secret', 'New secret');
  return html`${form}${
    disabled && html`<p>The webhook is disabled since ${showTime(disabled.at)}: ${disabled.reason}.</p>`
  }${chat && html`<p>${chat.label} gets a message for each event, at <code>${hook.shown}</code></p>`}${
    secrets && secretNote(secrets)
  }${sessionForm(
    visit,
    CHANGE,
    html`${named}${disabled && button('enable', 'Enable')} ${!chat && renew}${button('remove', 'Remove')}`,
  )}`;
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
