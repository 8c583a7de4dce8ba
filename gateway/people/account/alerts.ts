// The tab with what an account follows, and its alert channels.
import { type Content, type Html, html } from '../../http/html.ts';
import { InputError } from '../../http/problem.ts';
import { toIso } from '../../store/accounts.ts';
import * as alerts from '../alerts/channels.ts';
import { listAttempts, sendTest } from '../alerts/deliver.ts';
import { ACCOUNT } from '../sign-up.ts';
import { field, secretPage, showTime, submit } from '../web.ts';
import { type AccountPage, countForm, postForm, scrollable, type Visit } from './visit.ts';

const PATH = '/account/alerts';
const FOLLOW = '/account/alerts/follows';
const SET = '/account/alerts/channel';
const REMOVE = '/account/alerts/channel/remove';
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
    const { account, store, tier } = visit;
    const { follows, channels } = await alerts.readSubscription(store, account.id);
    if (tier !== 'pro')
      return html`<h2 id="alerts">Alerts</h2>
        <p>With Pro you get alerts for new games, and for new builds of games that you follow: by webhook, in
        ${Object.values(alerts.CHATS).map(({ label }) => `${label}, `)}by mail, or in a feed. Pro comes with a
        <a href="${ACCOUNT}#membership">membership</a>.</p>
        ${follows.length > 0 && html`<p>Your list of followed games is kept until then: ${follows.join(', ')}.</p>`}`;
    const boxes = topicsOf(visit).map(
      ([topic, title]) =>
        html`<label><input type="checkbox" name="${TOPIC_FIELD + topic}"${follows.includes(topic) && html` checked`}> ${title}</label>`,
    );
    const rows = (await listAttempts(store, account.id)).map((each) => {
      const { at, channel, event, attempt, outcome, detail, next_at } = each;
      return html`<tr><td>${showTime(at)}</td><td>${channel}</td><td>${event.type} ${event.game} ${event.build}</td>
        <td>${outcome}${attempt > 1 && ` (attempt ${attempt})`}${detail && `: ${detail}`}${
          next_at !== null && html`; next attempt ${showTime(next_at)}`
        }</td></tr>`;
    });
    const head = ['Time', 'Channel', 'Event', 'Outcome'];
    const test = html`<button type="submit" class="quiet">Send a test by each channel</button>`;
    return html`<h2 id="alerts">Alerts</h2>${postForm(
      FOLLOW,
      html`<fieldset class="cards"><legend>What you follow</legend>${boxes}</fieldset>${submit('Save')}`,
    )}<div class="account-cards">${alerts.KINDS.map((kind) => channelCard(visit, kind, channels[kind]))}</div>
      <h3>Last deliveries</h3>
      ${scrollable('Last deliveries', head, rows, html`<p>None yet.</p>`)}
      ${postForm(TEST, test)}`;
  },
  forms: {
    [FOLLOW]: forPro(async (visit) => {
      const offered = topicsOf(visit).map(([topic]) => topic);
      const isChosen = (topic: string) => visit.fields.has(TOPIC_FIELD + topic);
      const remove = offered.filter((topic) => !isChosen(topic));
      await alerts.changeFollows(visit.store, visit.account.id, { add: offered.filter(isChosen), remove });
    }),
    [SET]: forPro(async (visit) => {
      const { store, services, owner, typed } = visit;
      const { policy, publicUrl } = services;
      const chosen = { address: typed('url').trim(), policy };
      const feed = await alerts.setChannel(store, owner, readChannel(visit), chosen);
      const note = html`<p>Anyone who knows it can read the feed. An earlier address no longer works.</p>`;
      return feed && secretPage('The address of your feed', publicUrl() + feed, note, PATH);
    }),
    [REMOVE]: forPro((visit) => alerts.removeChannel(visit.store, visit.owner, readChannel(visit))),
    [TEST]: forPro(async ({ store, account, fields }) => {
      const wanted = fields.get('channel');
      const channels = alerts.channelsOf(await alerts.readSubscription(store, account.id), wanted);
      if (channels.length === 0)
        throw new InputError(
          wanted === undefined
            ? 'no channel is on: set one before you send a test'
            : 'that channel is off; set its address before you send a test',
        );
      await countForm(store, { what: 'tests of alerts', account, limits: TEST_LIMITS });
      for (const channel of channels) await sendTest(store, account.id, channel);
    }),
  },
};

/** The topics that can be followed, with titles: all games, new games, and each game that Pro sees. */
function topicsOf({ services: { follower, now } }: Visit): [topic: string, title: string][] {
  const { games } = follower.catalog.viewAt(now(), 'pro');
  const known = [...games.values()].map(({ slug, title }): [string, string] => [slug, title]);
  return [[alerts.ALL_GAMES, 'All games'], [alerts.NEW_GAMES, 'New games'], ...known];
}

function readChannel({ typed }: Visit): alerts.ChannelKind {
  const channel = alerts.KINDS.find((each) => each === typed('channel'));
  if (channel) return channel;
  throw new InputError(`the form names no channel; expected ${alerts.KINDS.join(', ')}`);
}

/** The card of a channel: its setting, and the forms that change, test and remove it. */
function channelCard(visit: Visit, kind: alerts.ChannelKind, row: alerts.ChannelRow | undefined): Html {
  const chat = alerts.chatOf(kind);
  const isPosted = alerts.isPosted(kind);
  const form = (action: string, content: Content) =>
    postForm(action, html`<input type="hidden" name="channel" value="${kind}">${content}`);
  const isDisabled = typeof row?.disabled_at === 'number';
  const test = html`<button type="submit" class="quiet" name="channel" value="${kind}">Send a test</button>`;
  const typed = visit.typed('channel') === kind ? visit.fields.get('url') : undefined;
  const address = field({
    label: chat
      ? `Address of a webhook of ${chat.label}, ${chat.form}`
      : 'Address that receives the events, https://…',
    id: `${kind}-url`,
    name: 'url',
    type: 'url',
    value: typed,
    more: { maxlength: 2048, required: true },
  });
  const label = row ? (kind === 'feed' ? 'New address' : 'Change') : isPosted ? 'Set' : 'Turn on';
  const secret = row && alerts.readSecret(visit.store, row);
  return html`<section class="panel"><h3>${chat ? `In ${chat.label}` : `By ${kind}`}</h3>
    ${row && stateOf(visit, row)}
    ${(!row || kind !== 'mail') && form(SET, html`${isPosted && address}${submit(label)}`)}
    ${
      secret &&
      html`<details><summary>Secret that signs the events</summary><p><code>${secret}</code>, used as
      <a href="https://www.standardwebhooks.com" rel="noreferrer">Standard Webhooks</a> describes.</p></details>`
    }${row && form(REMOVE, html`<button type="submit">Turn off</button>`)}${
      row && !isDisabled && kind !== 'feed' && postForm(TEST, test)
    }</section>`;
}

function stateOf({ account }: Visit, { kind, shown, disabled_at, disabled_reason }: alerts.ChannelRow): Html {
  if (disabled_at !== null)
    return html`<p>It is disabled since ${showTime(toIso(disabled_at))}: ${disabled_reason}. To enable it, set its address again.</p>`;
  if (kind === 'mail') return html`<p>Mails go to ${account.email}.</p>`;
  if (kind === 'feed') return html`<p>You have a feed. Anyone who knows its address can read it.</p>`;
  return html`<p>Each event is posted to <code>${shown}</code></p>`;
}
