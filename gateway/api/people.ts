import type { View } from '../data/view.ts';

/** What an account follows, and the state of each channel on which it gets alerts. `disabled`: its receiver said that it was removed. */
export interface AccountAlerts {
  follows: readonly string[];
  channels: Readonly<Record<'webhook' | 'discord' | 'slack' | 'mail' | 'feed', 'on' | 'off' | 'disabled'>>;
}

/**
 * What the core of a gateway asks about people. The core does not import `people/`: this is passed in when a gateway is put together.
 * Without the optional member the gateway does not say what an account follows.
 */
export interface People {
  /**
   * Reads the settings of an account's alerts, and what it follows of a view.
   *
   * @throws StoreError when the store does not respond in time
   */
  readAlerts?(account: string, view: View): Promise<AccountAlerts>;
}
