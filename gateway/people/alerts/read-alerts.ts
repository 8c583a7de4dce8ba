import type { AccountAlerts } from '../../api/people.ts';
import type { View } from '../../data/view.ts';
import type { Store } from '../../store/sql.ts';
import { findSubscriptionSoon, isSeen } from './subscription.ts';

/** Reads the settings of an account's alerts for a request, without addresses and secrets. @param account the account's id */
export async function readAlerts(
  store: Store,
  account: string,
  view: Pick<View, 'games' | 'lost'>,
): Promise<AccountAlerts> {
  const { follows, webhook, discord, slack, mail, feed } = await findSubscriptionSoon(store, account);
  return {
    follows: follows.filter((topic) => isSeen(topic, view)),
    channels: {
      webhook: stateOf(webhook),
      discord: stateOf(discord),
      slack: stateOf(slack),
      mail: mail ? 'on' : 'off',
      feed: feed === null ? 'off' : 'on',
    },
  };
}

function stateOf(hook: { disabled: object | null } | null): 'on' | 'off' | 'disabled' {
  if (hook === null) return 'off';
  return hook.disabled === null ? 'on' : 'disabled';
}
