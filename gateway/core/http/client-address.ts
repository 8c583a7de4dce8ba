import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import proxyAddr from 'proxy-addr';

/** Returns the IP address that a request comes from. */
export type ClientAddress = (request: IncomingMessage) => string;

/** The proxies in front of the gateway, whose header fields are trusted. */
export interface TrustedProxies {
  /** Whether there are any. */
  exist: boolean;
  clientAddress: ClientAddress;
  /** Whether a request comes from one of them. */
  isFromProxy(request: IncomingMessage): boolean;
}

const MAX_HOPS = 16;

/**
 * Reads the list of proxies whose X-Forwarded-For and X-Request-Id are trusted.
 *
 * @param text the number of proxies in front of the gateway, or their addresses separated by commas: IP addresses, CIDR ranges,
 *   `loopback`, `linklocal` and `uniquelocal`; empty for none
 * @throws TypeError if it is neither
 */
export function readTrustedProxies(text: string): TrustedProxies {
  const names = text.split(',').flatMap((name) => name.trim() || []);
  const [hops = ''] = names;
  const trust = names.length === 1 && /^\d+$/.test(hops) ? trustHops(Number(hops)) : trustNames(names);
  return {
    exist: names.length > 0 && !/^0*$/.test(names.join()),
    clientAddress(request) {
      const address = proxyAddr(request, trust);
      return isIP(address) ? address : (request.socket.remoteAddress ?? '');
    },
    isFromProxy({ socket }) {
      return socket.remoteAddress !== undefined && trust(socket.remoteAddress, 0);
    },
  };
}

type Trust = (address: string, hop: number) => boolean;

function trustNames(names: string[]): Trust {
  return names.length === 0 ? () => false : proxyAddr.compile(names);
}

function trustHops(count: number): Trust {
  if (count > MAX_HOPS) throw new TypeError(`expected at most ${MAX_HOPS} proxies`);
  return (_, hop) => hop < count;
}
