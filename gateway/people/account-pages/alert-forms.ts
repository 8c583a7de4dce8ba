import { InputError } from '../../input/input-error.ts';
import { countUse } from '../../access/quota.ts';
import { type Account, tierAt } from '../../access/account.ts';
import type { Limits } from '../../access/counters.ts';
import type { Store } from '../../store/sql.ts';
import type { Session } from '../accounts/session.ts';
import { findAttempt } from '../alerts/attempts.ts';
import type { PostChannel } from '../alerts/channels/chat-hook.ts';
import type { ChatService } from '../alerts/channels/chat-service.ts';
import { enableChat, removeChat, setAddress } from '../alerts/channels/chat-settings.ts';
import { channelsOf, isOn, POST_CHANNELS, sendAgain, sendTest } from '../alerts/delivery.ts';
import { feedPath } from '../alerts/events/feed.ts';
import * as settings from '../alerts/settings.ts';
import { findSubscription } from '../alerts/subscription.ts';
import type { AccountForm } from './account-form.ts';
import { listGames } from './account-state.ts';
import { FORMS } from './addresses.ts';
import { readFollows } from './follows.ts';
import type { AccountServices } from './handle-session.ts';
import { feedPage } from './pages.tsx';
import type { Fields } from './sections/session-form.tsx';

/** Enough for a field for each game. */
const MAX_FORM_BYTES = 64 * 1024;
/** Tests and repetitions that one account may send. A webhook could be the address of someone else. */
const TEST_LIMITS: Limits = { minute: 3, day: 30 };

/** Makes the forms for alerts. Without Pro they are refused. */
export function alertForms(services: AccountServices): AccountForm[] {
  const { store, follower, policy, vault, now, publicUrl } = services;
  const section = 'alerts';
  const form = (
    path: string,
    change: (account: string, fields: Fields, by: settings.By, holder: Account) => Promise<unknown>,
  ): AccountForm => ({
    path,
    section,
    maxBytes: MAX_FORM_BYTES,
    change: (session, fields) =>
      change(checkPro(session.account, now()), fields, byHolder(session, now()), session.account),
  });
  return [
    form(FORMS.setFollows, (account, fields) =>
      settings.chooseFollows(store, account, readFollows(fields, listGames(follower, now()))),
    ),
    form(FORMS.setMail, (account, fields) => settings.setMail(store, account, fields.get('mail') === 'on')),
    form(FORMS.setWebhook, (account, fields, by) =>
      setAddress(store, account, (fields.get('url') ?? '').trim(), {
        ...{ channel: readChannel(fields), policy, vault },
        ...by,
      }),
    ),
    form(FORMS.changeWebhook, (account, fields, by) => changeHook(store, account, fields, { vault, ...by })),
    {
      path: FORMS.renewFeed,
      section,
      async reveal(session) {
        const account = checkPro(session.account, now());
        const token = await settings.renewFeed(store, account, byHolder(session, now()));
        return feedPage(publicUrl() + feedPath(token));
      },
    },
    form(FORMS.removeFeed, (account, _, by) => settings.removeFeed(store, account, by)),
    form(FORMS.sendTest, (_, fields, { now }, holder) =>
      sendTests(store, holder, fields.get('channel'), now),
    ),
    form(FORMS.sendAgain, (_, fields, { now }, holder) =>
      repeat(store, holder, fields.get('attempt') ?? '', now),
    ),
  ];
}

function byHolder({ network }: Session, now: number): settings.By {
  return { actor: { by: 'account', network }, now };
}

/** Checks that an account is Pro. @returns its id */
function checkPro(account: Account, now: number): string {
  if (tierAt(account, now) === 'pro') return account.id;
  throw new InputError('alerts are for Pro, and this account is free. Nothing was changed', 403);
}

/** Reads which channel a form is about; those of earlier versions are about the webhook. */
function readChannel(fields: Fields): PostChannel {
  const choice = fields.get('channel') ?? 'webhook';
  const channel = POST_CHANNELS.find((each) => each === choice);
  if (channel) return channel;
  throw new InputError(`the form names no channel; expected ${POST_CHANNELS.join(', ')}`);
}

async function changeHook(
  store: Store,
  account: string,
  fields: Fields,
  change: settings.WebhookChange,
): Promise<void> {
  const channel = readChannel(fields);
  const action = fields.get('change');
  if (channel === 'webhook') await changeWebhook(store, account, action, change);
  else await changeChat(store, account, channel, action, change);
}

async function changeChat(
  store: Store,
  account: string,
  service: ChatService,
  what: string | undefined,
  change: settings.WebhookChange,
): Promise<void> {
  if (what === 'enable') await enableChat(store, account, service, change);
  else if (what === 'remove') await removeChat(store, account, service, change);
  else throw new InputError('the form does not say what to change; expected enable or remove');
}

async function changeWebhook(
  store: Store,
  account: string,
  what: string | undefined,
  change: settings.WebhookChange,
): Promise<void> {
  if (what === 'enable') await settings.enableWebhook(store, account, change);
  else if (what === 'secret') await settings.renewSecret(store, account, change);
  else if (what === 'end-earlier') await settings.endEarlierSecret(store, account, change);
  else if (what === 'remove') await settings.removeWebhook(store, account, change);
  else
    throw new InputError(
      'the form does not say what to change; expected enable, secret, end-earlier or remove',
    );
}

/** Sends a test by a channel. @param wanted its name; without it, by all channels that are on */
async function sendTests(
  store: Store,
  account: Account,
  wanted: string | undefined,
  now: number,
): Promise<void> {
  const on = channelsOf(await findSubscription(store, account.id));
  const channels = on.filter((channel) => wanted === undefined || channel === wanted);
  if (channels.length === 0)
    throw new InputError(
      wanted === undefined
        ? 'no channel is on: set one before you send a test'
        : 'that channel is off; set its address, or enable it, before you send a test',
    );
  await countTest(store, account);
  for (const channel of channels) await sendTest(store, account.id, channel, now);
}

/** Sends the event of an attempt again. @param text its time, event and channel */
async function repeat(store: Store, account: Account, text: string, now: number): Promise<void> {
  const [at = '', event = '', channel = ''] = text.split(' ');
  const attempt = await findAttempt(store, account.id, { at, event, channel });
  if (!attempt || typeof attempt.position !== 'number')
    throw new InputError('that delivery is no longer in the list');
  const { channel: name, position } = attempt;
  if (!isOn(await findSubscription(store, account.id), name))
    throw new InputError('the channel of that delivery is off');
  await countTest(store, account);
  await sendAgain(store, account.id, { channel: name, position }, now);
}

async function countTest(store: Store, account: Account): Promise<void> {
  const counted = await countUse(store, { what: 'alerts-test', account, limits: TEST_LIMITS });
  if (counted.isAllowed) return;
  throw new InputError(
    `too many tests and repetitions were sent; try again in ${counted.seconds} seconds`,
    429,
  );
}
