// The tab with what an account follows, and its alert channels.
import { countUse } from '../../access/quota.ts';
import { type Content, type Html, html } from '../../http/html.ts';
import { InputError } from '../../http/problem.ts';
import * as alerts from '../alerts/channels.ts';
import { listAttempts, sendTest } from '../alerts/deliver.ts';
import { code, field, type Page, showTime, submit } from '../web.ts';
import { type AccountPage, scrollable, sessionForm, type Visit } from './visit.ts';

const PATH = '/account/alerts';
const FOLLOW = '/account/alerts/follows';
const SET = '/account/alerts/channel';
const CHANGE = '/account/alerts/channel/change';
const TEST = '/account/alerts/test';
/** The names of the fields for topics begin with this. */
const TOPIC_FIELD = 'follow.';
/** How many tests one account may send: the address of a webhook may belong to someone else. */
const TEST_LIMITS = { minute: 3, day: 30 };

/** A form that accounts without Pro may not send. */
function forPro(apply: (visit: Visit) => Promise<unknown>) {
  return async (visit: Visit) => {
    if (visit.tier === 'pro') return await apply(visit);
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
        ${Object.values(alerts.CHATS).map(({ label }) => `${label}, `)}by mail, or in a feed. Pro comes with a
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
    )}<div class="account-cards">${alerts.KINDS.map((kind) => channelCard(visit, kind, subscription))}</div>
      <h3>Last deliveries</h3>
      ${scrollable('Last deliveries', head, rows, html`<p>None yet.</p>`)}
      ${sessionForm(visit, TEST, test)}`;
  },
  forms: {
    [FOLLOW]: forPro(async (visit) => {
      const offered = topicsOf(visit).map(([topic]) => topic);
      const isChosen = (topic: string) => visit.fields.has(TOPIC_FIELD + topic);
      const remove = offered.filter((topic) => !isChosen(topic));
      await alerts.changeFollows(visit.store, visit.account.id, { add: offered.filter(isChosen), remove });
    }),
    [SET]: forPro(async (visit): Promise<Page | undefined> => {
      const { store, services, owner } = visit;
      const channel = readChannel(visit);
      if (channel === 'mail') await alerts.turnOnMail(store, owner.account);
      else if (channel === 'feed')
        return feedPage(services.publicUrl() + (await alerts.renewFeed(store, owner)));
      else await alerts.setAddress(store, owner, channel, visit.typed('url').trim(), services.policy);
      return undefined;
    }),
    [CHANGE]: forPro((visit) => {
      const channel = readChannel(visit);
      const changes = alerts.changesOf(channel);
      const what = changes.find((each) => each === visit.typed('change'));
      if (what) return alerts.changeChannel(visit.store, visit.owner, channel, what);
      throw new InputError(`the form does not say what to change; expected ${changes.join(', ')}`);
    }),
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

function readChannel({ typed }: Visit): (typeof alerts.KINDS)[number] {
  const channel = alerts.KINDS.find((each) => each === typed('channel'));
  if (channel) return channel;
  throw new InputError(`the form names no channel; expected ${alerts.KINDS.join(', ')}`);
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

/** The card of a channel: its setting, and the forms that change, test and remove it. */
function channelCard(
  visit: Visit,
  kind: (typeof alerts.KINDS)[number],
  subscription: alerts.Subscription,
): Html {
  const row = subscription.channels[kind];
  const chat = alerts.chatOf(kind);
  const form = (action: string, content: Content) =>
    sessionForm(visit, action, html`<input type="hidden" name="channel" value="${kind}">${content}`);
  const button = (label: string) => html`<button type="submit">${label}</button>`;
  const change = (what: alerts.ChannelChange, label: string) =>
    form(CHANGE, html`<button type="submit" name="change" value="${what}">${label}</button>`);
  const test =
    alerts.channelsOf(subscription).some((each) => each === kind) &&
    sessionForm(
      visit,
      TEST,
      html`<button type="submit" class="quiet" name="channel" value="${kind}">Send a test</button>`,
    );
  const card = (title: string, content: Content) =>
    html`<section class="panel"><h3>${title}</h3>${content}${test}</section>`;
  if (kind === 'mail') {
    const turn = row ? change('remove', 'Turn off') : form(SET, button('Turn on'));
    return card('By mail', html`<p>Mails to ${visit.account.email} are ${row ? 'on' : 'off'}.</p>${turn}`);
  }
  if (kind === 'feed') {
    const renew = form(SET, button(row ? 'New address' : 'Create a feed'));
    const note = html`<p>You have a feed. Anyone who knows its address can read it.</p>`;
    return card('As a feed', row ? html`${note}${renew}${change('remove', 'Remove the feed')}` : renew);
  }
  const typed = visit.typed('channel') === kind ? visit.fields.get('url') : undefined;
  const address = field({
    label: chat
      ? `Address of a webhook of ${chat.label}, ${chat.begins}…`
      : 'Address that receives the events, https://…',
    ...{ id: `${kind}-url`, name: 'url', type: 'url' },
    value: typed ?? (chat ? undefined : (row?.shown ?? undefined)),
    more: { maxlength: 2048, required: true },
  });
  const set = form(SET, html`${address}${submit(row ? 'Change' : 'Set')}`);
  const title = chat ? `In ${chat.label}` : 'By webhook';
  if (!row) return card(title, set);
  const disabled = alerts.disabledOf(row);
  const secrets = alerts.readSecrets(visit.store, row);
  const renew = secrets?.earlier
    ? change('end-earlier', 'End the earlier secret now')
    : change('secret', 'New secret');
  return card(
    title,
    html`${set}${
      disabled &&
      html`<p>The webhook is disabled since ${showTime(disabled.at)}: ${disabled.reason}.</p>${change('enable', 'Enable')}`
    }${chat && html`<p>${chat.label} gets a message for each event, at <code>${row.shown}</code></p>`}${
      secrets && html`${secretNote(secrets)}${renew}`
    }${change('remove', 'Remove')}`,
  );
}

function feedPage(address: string): Page {
  const body = html`${code(address)}
    <p><strong>Copy it now: it is not shown again.</strong> Anyone who knows it can read the feed. An earlier address no
    longer works.</p><p><a href="${PATH}">Back to the account</a></p>`;
  return { title: 'The address of your feed', body };
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
