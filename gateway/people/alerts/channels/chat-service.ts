import { keysOf } from '../../../../scripts/format/dist-format.ts';
import { AddressError } from './public-address.ts';

/** A chat service whose webhooks get messages in its own form instead of events. */
export type ChatService = 'discord' | 'slack';

/** How people write the names of the services. */
export const SERVICE_NAMES: Readonly<Record<ChatService, string>> = { discord: 'Discord', slack: 'Slack' };

/** The addresses of a service's webhooks: their hosts, and their paths, of which the last part is a secret. */
const ADDRESSES: Readonly<Record<ChatService, { hosts: readonly string[]; path: RegExp }>> = {
  discord: {
    hosts: ['discord.com', 'discordapp.com', 'ptb.discord.com', 'canary.discord.com'],
    path: /^(\/api(?:\/v\d{1,2})?\/webhooks\/\d{1,20}\/)[\w-]{1,200}\/?$/,
  },
  slack: {
    hosts: ['hooks.slack.com', 'hooks.slack-gov.com'],
    path: /^(\/services\/\w{1,40}\/\w{1,40}\/)\w{1,200}\/?$/,
  },
};
const SERVICES = keysOf(ADDRESSES);

/** Returns the chat service that a webhook's address belongs to; undefined for a receiver of events, and for what is no URL. */
export function findChatService(url: string): ChatService | undefined {
  if (!URL.canParse(url)) return undefined;
  const { host, pathname } = new URL(url);
  return SERVICES.find((service) => {
    const { hosts, path } = ADDRESSES[service];
    return hosts.includes(host) && path.test(pathname);
  });
}

/**
 * Refuses an address of Discord that cannot get events.
 *
 * @throws AddressError
 */
export function checkChatAddress({ href, host }: URL): void {
  if (!ADDRESSES.discord.hosts.includes(host) || findChatService(href) !== undefined) return;
  throw new AddressError(
    'it is an address of Discord, but not that of a webhook; expected https://discord.com/api/webhooks/ with a number and a token, which Discord shows in the settings of a channel, under Integrations',
  );
}

/** Returns the address of a webhook as it may be shown: without the secret that an address of a chat service ends with. */
export function maskAddress(url: string): string {
  const service = findChatService(url);
  if (service === undefined) return url;
  const { origin, pathname } = new URL(url);
  return `${origin}${ADDRESSES[service].path.exec(pathname)?.[1] ?? '/'}…`;
}
