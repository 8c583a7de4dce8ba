import { networkInterfaces } from 'node:os';

/** Addresses of metadata services and of other services that only a cloud's own machines reach. */
const CLOUD = [
  '169.254.169.254',
  '168.63.129.16',
  '100.100.100.200',
  '192.0.0.192',
  '[fd00:ec2::254]',
  '[fe80::a9fe:a9fe]',
];
const HIDDEN_IPV4 = [
  ...[
    '2130706433',
    '017700000001',
    '0x7f000001',
    '0177.0.0.1',
    '0x7f.0.0.1',
    '127.1',
    '127.0.1',
    '127.0.0.1.',
    '0',
    '0.0.0.0',
    '127.255.255.254',
  ],
  ...[
    '①②⑦.⓪.⓪.①',
    '127。0。0。1',
    '１２７.0.0.1',
    '%31%32%37.0.0.1',
    '127.0.0.1%00',
    '127.000.000.001',
    '4294967296',
  ],
];
const HIDDEN_IPV6 = [
  ...[
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::127.0.0.1]',
    '[0:0:0:0:0:0:0:1]',
    '[::ffff:0:127.0.0.1]',
  ],
  ...[
    '[64:ff9b::127.0.0.1]',
    '[64:ff9b:1::7f00:1]',
    '[2002:7f00:1::]',
    '[2001:0:7f00:1::]',
    '[fd00::1]',
    '[fe80::1]',
    '[ff02::1]',
    '[100::1]',
  ],
];
const NAMES = [
  'localhost',
  'LOCALHOST',
  'localhost.',
  'sub.localhost',
  'localhost.localdomain',
  'ip6-localhost',
  'metadata.google.internal',
];

/** A name whose first address is never reached, so that a webhook to it takes as long as it may. */
export const SLOW_NAME = 'change.attack.test';

/** Names and their addresses at the attack's name server; a later list is given when the name is asked for again. */
export const NAMED: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'loopback.attack.test': [['127.0.0.1']],
  'both.attack.test': [['127.0.0.1', '::1']],
  'any.attack.test': [['0.0.0.0', '::']],
  'mapped.attack.test': [['::ffff:127.0.0.1']],
  'nat64.attack.test': [['64:ff9b::7f00:1']],
  'tunnel.attack.test': [['2002:7f00:1::1']],
  'private.attack.test': [['10.0.0.1', '172.16.0.1', '192.168.0.1', 'fd00::1']],
  'metadata.attack.test': [['169.254.169.254', '168.63.129.16', 'fd00:ec2::254']],
  'carrier.attack.test': [['100.64.0.1', '100.100.100.200', '198.18.0.1', '192.0.0.192', '240.0.0.1']],
  'metadata.google.internal': [['169.254.169.254']],
  // The first address counts as public, but no network has it.
  [SLOW_NAME]: [['3ffe:ffff::1'], ['127.0.0.1', '::1']],
  'nowhere.attack.test': [[]],
};

/** Addresses of webhooks that must not be reached, with the port on which the canary listens. */
export function hostileAddresses(port: number): string[] {
  const own = Object.values(networkInterfaces())
    .flatMap((found) => found ?? [])
    .map(({ address, family }) => (family === 'IPv6' ? `[${address}]` : address));
  const hosts = [...CLOUD, ...HIDDEN_IPV4, ...HIDDEN_IPV6, ...NAMES, ...Object.keys(NAMED), ...own];
  const at = `127.0.0.1:${port}`;
  return [
    ...hosts.map((host) => `https://${host}:${port}/hook`),
    ...hosts.slice(0, 8).map((host) => `http://${host}:${port}/hook`),
    `https://example.org@${at}/`,
    `https://user:password@${at}/`,
    `https://${at}#@example.org/`,
    `https://${at}\\@example.org/`,
    `https://example.org\\@${at}/`,
    `https://127.0.\t0.1:${port}/`,
    `ht\ntps://${at}/`,
    `https:${at}/`,
    `https:///${at}/`,
    `//${at}/`,
    `\\\\${at}\\`,
    `ftp://${at}/`,
    `gopher://${at}/_GET`,
    'file:///etc/passwd',
    'data:text/plain,x',
    `https://${at}/ HTTP/1.1\r\nX: y`,
    `ws://${at}/`,
    `unix:/run/redis.sock`,
    '',
  ];
}
