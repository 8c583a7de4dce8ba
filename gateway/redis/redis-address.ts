import { StoreError } from '../store/store.ts';

/** The parts of the address of Redis servers. */
export interface RedisAddress {
  kind: 'server' | 'cluster' | 'sentinel';
  /** `host:port` of the servers, or of the sentinels. */
  hosts: string[];
  /** The name under which sentinels know the master. */
  master: string;
  /** Makes the address of one server, with the same protocol, user, password and database. */
  urlOf(host: string): string;
}

/** Any address of Redis: its protocol, how the servers are found, user and password, hosts, and what follows. */
const ADDRESS = /^(rediss?)(?:\+(cluster|sentinel))?:\/\/(?:([^@/]*)@)?([^/?#]*)(\/[^?#]*)?$/i;
const PORTS = { server: 6379, cluster: 6379, sentinel: 26_379 } as const;
const FORMS = {
  server: 'redis://host:6379',
  cluster: 'redis+cluster://host:7000,host:7001',
  sentinel: 'redis+sentinel://host:26379,host:26379/mymaster',
} as const;

/**
 * Parses the address of Redis servers: `redis://[user:password@]host[:port][/database]`, `redis+cluster://[user:password@]host:port,…` or
 * `redis+sentinel://[user:password@]host:port,…/master[/database]`; with `rediss` for TLS.
 *
 * @throws StoreError when it is not an address
 */
export function parseRedisAddress(address: string): RedisAddress {
  const [, protocol = '', form = '', credentials = '', list = '', path = ''] = ADDRESS.exec(address) ?? [];
  const kind = form === '' ? 'server' : (form.toLowerCase() as 'cluster' | 'sentinel');
  const hosts = list.split(',').map((host) => (/:\d+$/.test(host) ? host : `${host}:${PORTS[kind]}`));
  const [first = '', second = ''] = path.slice(1).split('/');
  const [master, database] = kind === 'sentinel' ? [first, second] : ['', first];
  const login = credentials === '' ? '' : `${credentials}@`;
  const urlOf = (host: string) => `${protocol.toLowerCase()}://${login}${host}${database && `/${database}`}`;
  const isValid =
    hosts.every((host) => /^([^\s:]+|\[[^\]]+\]):/.test(host) && URL.canParse(urlOf(host))) &&
    (kind !== 'server' || hosts.length === 1) &&
    (kind !== 'sentinel' || master !== '') &&
    (kind === 'cluster' ? /^0?$/ : /^\d*$/).test(database);
  if (protocol === '' || !isValid)
    throw new StoreError(`cannot open the store: its address is not a URL; expected ${FORMS[kind]}`);
  return { kind, hosts, master: decodeURIComponent(master), urlOf };
}
