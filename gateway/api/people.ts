import type { ServerResponse } from 'node:http';
import type { View } from '../data/view.ts';
import type { Holder } from '../access/account.ts';

/** What an account follows, and the state of each channel on which it gets alerts. `disabled`: its receiver said that it was removed. */
export interface AccountAlerts {
  follows: readonly string[];
  channels: Readonly<Record<'webhook' | 'discord' | 'slack' | 'mail' | 'feed', 'on' | 'off' | 'disabled'>>;
}

/**
 * What the core of a gateway asks about people. The core does not import `people/`: this is passed in when a gateway is put together.
 * Without the optional members the gateway has no event streams, and does not say what an account follows.
 */
export interface People {
  /**
   * Reads the settings of an account's alerts, and what it follows of a view.
   *
   * @throws StoreError when the store does not respond in time
   */
  readAlerts?(account: string, view: View): Promise<AccountAlerts>;
  streams?: EventStreams;
}

/** The account that listens to a stream of events, and what it listens to. */
export interface StreamRequest {
  /** The key that the stream is opened with. */
  holder: Holder;
  /** The account's id. */
  account: string;
  /** The topics of the stream, instead of those that the account follows. */
  follows?: readonly string[];
  /** The position of the last event that the client has; without it, it gets events from now on. */
  after?: number;
  /** Whether the client may still be sent events; asked before any is sent, and with each heartbeat. */
  isAllowed(): Promise<boolean>;
}

/** Streams of events to clients that listen. */
export interface EventStreams {
  /**
   * Responds with a stream. It ends when the client goes away, may not be sent events any more, or `close` is called.
   *
   * @throws HttpProblem `too-many-streams`, or `unavailable` when the gateway has too many streams
   */
  serve(request: StreamRequest, response: ServerResponse): Promise<void>;
  /** Ends all streams. Clients reconnect automatically, to any gateway. */
  close(): void;
}
