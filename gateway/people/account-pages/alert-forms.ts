import { countUse } from '../../access/count-use.ts';
import { type Account, tierAt } from '../../plans/account.ts';
import type { Limits } from '../../plans/counters.ts';
import type { Store } from '../../store/store.ts';
import type { ChannelName } from '../alerts/attempts.ts';
import { isOn, sendTest } from '../alerts/delivery.ts';
import { feedPath } from '../alerts/feed.ts';
import * as settings from '../alerts/settings.ts';
import { findSubscription } from '../alerts/subscription.ts';
import { type AccountForm, AccountFormError } from './account-form.ts';
import { listGames } from './account-state.ts';
import { FORMS } from './addresses.ts';
import type { AccountServices } from './handle-session.ts';
import { readFollows } from './follows.ts';
import { feedPage } from './pages.ts';
import type { Fields } from './session-form.ts';

/** Enough for a field for each game. */
const MAX_FORM_BYTES = 64 * 1024;
/** Tests that one account may send. A webhook could be the address of someone else. */
const TEST_LIMITS: Limits = { minute: 3, day: 30 };
const CHANNELS: readonly ChannelName[] = ['webhook', 'mail'];

/** Makes the forms for alerts. Without Pro they are refused. */
export function alertForms({ store, follower, policy, now, publicUrl }: AccountServices): AccountForm[] {
  const section = 'alerts';
  const form = (
    path: string,
    change: (account: string, fields: Fields) => Promise<unknown>,
  ): AccountForm => ({
    path,
    section,
    maxBytes: MAX_FORM_BYTES,
    change: ({ account }, fields) => change(checkPro(account, now()), fields),
  });
  return [
    form(FORMS.setFollows, (account, fields) =>
      settings.chooseFollows(store, account, readFollows(fields, listGames(follower, now()))),
    ),
    form(FORMS.setMail, (account, fields) => settings.setMail(store, account, fields.get('mail') === 'on')),
    form(FORMS.setWebhook, (account, fields) =>
      settings.setWebhook(store, account, (fields.get('url') ?? '').trim(), policy),
    ),
    form(FORMS.changeWebhook, (account, fields) => changeWebhook(store, account, fields.get('change'))),
    {
      path: FORMS.renewFeed,
      section,
      async reveal({ account }) {
        const token = await settings.renewFeed(store, checkPro(account, now()));
        return feedPage(publicUrl() + feedPath(token));
      },
    },
    form(FORMS.removeFeed, (account) => settings.removeFeed(store, account)),
    form(FORMS.sendTest, (account) => sendTests(store, account, now())),
  ];
}

/** Checks that an account is Pro. @returns its id */
function checkPro(account: Account, now: number): string {
  if (tierAt(account, now) === 'pro') return account.id;
  throw new AccountFormError(403, 'alerts are for Pro, and this account is free. Nothing was changed');
}

async function changeWebhook(store: Store, account: string, change: string | undefined): Promise<void> {
  if (change === 'enable') await settings.enableWebhook(store, account);
  else if (change === 'secret') await settings.renewSecret(store, account);
  else if (change === 'remove') await settings.removeWebhook(store, account);
  else
    throw new AccountFormError(
      400,
      'the form does not say what to change; expected enable, secret or remove',
    );
}

async function sendTests(store: Store, account: string, now: number): Promise<void> {
  const subscription = await findSubscription(store, account);
  const channels = CHANNELS.filter((channel) => isOn(subscription, channel));
  if (channels.length === 0)
    throw new AccountFormError(400, 'set a webhook or turn mails on before you send a test');
  const seconds = await countUse(store, `alerts-test ${account}`, TEST_LIMITS);
  if (seconds !== undefined) {
    throw new AccountFormError(429, `too many tests were sent; try again in ${seconds} seconds`);
  }
  for (const channel of channels) await sendTest(store, account, channel, now);
}
