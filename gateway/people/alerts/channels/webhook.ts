import { signWebhook } from '../../../../scripts/notices/webhook-signature.ts';
import { type ChatMessage, type MessageLinks, makeMessage } from './chat-message.ts';
import type { ChatService } from './chat-service.ts';
import { discordAddress, readDiscordResponse, renderForDiscord } from './discord.ts';
import type { GameEvent } from '../events/event.ts';
import type { Outcome } from '../outcome.ts';
import { type Posting, type PostOptions, type PostResponse, postJson } from './post.ts';
import { readSlackResponse, renderForSlack } from './slack.ts';

/** Where an event is posted to. */
export interface PostTarget {
  url: string;
  /** The valid secrets, the newest first. */
  secrets: readonly string[];
}

/**
 * Posts an event. A redirect is not followed, and counts as a failure.
 */
export async function postEvent(
  { url, secrets }: PostTarget,
  event: GameEvent,
  options: PostOptions,
): Promise<Outcome> {
  const body = JSON.stringify(event);
  return await postJson({ url, body, headers: signWebhook(secrets, event.id, body, options.now) }, options);
}

/** How a chat service gets messages, and what its responses mean. */
interface ChatForm {
  make(url: string, event: GameEvent, message: ChatMessage): Posting;
  read(response: PostResponse): Outcome | undefined;
}

const CHAT_FORMS: Readonly<Record<ChatService, ChatForm>> = {
  discord: {
    make: (url, event, message) => ({ url: discordAddress(url), body: renderForDiscord(event, message) }),
    read: readDiscordResponse,
  },
  slack: {
    make: (url, _, message) => ({ url, body: renderForSlack(message) }),
    read: readSlackResponse,
  },
};

/** Posts an event to a chat service, as a message of its form. */
export async function postMessage(
  { service, url, ...links }: { service: ChatService; url: string } & MessageLinks,
  event: GameEvent,
  options: PostOptions,
): Promise<Outcome> {
  const { make, read } = CHAT_FORMS[service];
  return await postJson(make(url, event, makeMessage(event, links)), options, read);
}
