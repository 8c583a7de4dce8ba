import { type Account, tierAt } from '../../access/account.ts';
import type { Limits } from '../../access/charge.ts';
import { countUse } from '../../access/quota.ts';
import { InputError } from '../../http/problem.ts';
import type { Actor } from '../../store/audit.ts';
import type { Store } from '../../store/sql.ts';
import { sendTest } from '../alerts/deliver.ts';
import { feedPath } from '../alerts/feed.ts';
import * as alerts from '../alerts/subscription.ts';
import type { AccountForm } from './account-form.ts';
import { listGames } from './account-state.ts';
import { FORMS } from './addresses.ts';
import type { AccountServices } from './handle-session.ts';
import { feedPage } from './pages.tsx';
import { TOPIC_FIELD } from './sections/alerts-section.tsx';
import type { Fields } from './sections/session-form.tsx';

/** Enough for a field for each game. */
const MAX_FORM_BYTES = 64 * 1024;
/** Tests that one account may send. A webhook could be the address of someone else. */
const TEST_LIMITS: Limits = { minute: 3, day: 30 };

/** Makes the forms for alerts. Without Pro they are refused. */
export function alertForms({ store, follower, policy, now, publicUrl }: AccountServices): AccountForm[] {
  const form = (
    path: string,
    change: (account: Account, fields: Fields, actor: Actor) => Promise<unknown>,
  ): AccountForm => ({
    path,
    section: 'alerts',
    maxBytes: MAX_FORM_BYTES,
    change: ({ account, network }, fields) =>
      change(checkPro(account, now()), fields, { by: 'account', network }),
  });
  return [
    form(FORMS.setFollows, ({ id }, fields) => {
      const offered = [
        alerts.ALL_GAMES,
        alerts.NEW_GAMES,
        ...listGames(follower, now()).map(({ slug }) => slug),
      ];
      const isChosen = (topic: string) => fields.has(TOPIC_FIELD + topic);
      const remove = offered.filter((topic) => !isChosen(topic));
      return alerts.changeFollows(store, id, { add: offered.filter(isChosen), remove });
    }),
    form(FORMS.setMail, ({ id }, fields) => alerts.setMail(store, id, fields.get('mail') === 'on')),
    form(FORMS.setWebhook, ({ id }, fields, actor) =>
      alerts.setAddress(store, id, (fields.get('url') ?? '').trim(), {
        ...{ channel: readChannel(fields), policy, actor },
      }),
    ),
    form(FORMS.changeWebhook, ({ id }, fields, actor) => {
      const channel = readChannel(fields);
      const changes = alerts.changesOf(channel);
      const what = changes.find((each) => each === fields.get('change'));
      if (!what) throw new InputError(`the form does not say what to change; expected ${changes.join(', ')}`);
      return alerts.changeHook(store, id, { channel, what, actor });
    }),
    {
      path: FORMS.renewFeed,
      section: 'alerts',
      async reveal({ account, network }) {
        const { id } = checkPro(account, now());
        const token = await alerts.renewFeed(store, id, { by: 'account', network });
        return feedPage(publicUrl() + feedPath(token));
      },
    },
    form(FORMS.removeFeed, ({ id }, _, actor) => alerts.removeFeed(store, id, actor)),
    form(FORMS.sendTest, (account, fields) => sendTests(store, account, fields.get('channel'))),
  ];
}

function checkPro(account: Account, now: number): Account {
  if (tierAt(account, now) === 'pro') return account;
  throw new InputError('alerts are for Pro, and this account is free. Nothing was changed', 403);
}

function readChannel(fields: Fields): alerts.PostChannel {
  const channel = alerts.POST_CHANNELS.find((each) => each === (fields.get('channel') ?? 'webhook'));
  if (channel) return channel;
  throw new InputError(`the form names no channel; expected ${alerts.POST_CHANNELS.join(', ')}`);
}

/** Sends a test by a channel. @param wanted its name; without it, by all channels that are on */
async function sendTests(store: Store, account: Account, wanted: string | undefined): Promise<void> {
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
