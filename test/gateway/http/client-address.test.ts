import { createServer } from 'node:http';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { networkOf, networksOf } from '../../../gateway/access/attempts.ts';
import { readTrustedProxies } from '../../../gateway/http/incoming.ts';
import { table } from '../../support/table.ts';
import { listen } from '../../support/listen.ts';

const clients = suite('the address of a client');

/** Sends a request from the loopback address with this X-Forwarded-For. @returns the client address that the server determines */
async function clientFor(trusted: string, forwarded: string | undefined): Promise<string> {
  const { clientAddress } = readTrustedProxies(trusted);
  const server = createServer((request, response) => response.end(clientAddress(request)));
  const address = await listen(server);
  const headers = forwarded === undefined ? {} : { 'X-Forwarded-For': forwarded };
  return await (await fetch(address, { headers })).text();
}

for (const [what = '', trusted = '', forwarded = '', expected = ''] of table`
  no proxy is trusted by default |  | 192.0.2.1 | 127.0.0.1
  one proxy names the client | 1 | 192.0.2.1 | 192.0.2.1
  an address from the client itself is not trusted | 1 | 198.51.100.7, 192.0.2.1 | 192.0.2.1
  two proxies | 2 | 198.51.100.7, 192.0.2.1, 10.0.0.1 | 192.0.2.1
  fewer addresses than proxies | 3 | 192.0.2.1 | 192.0.2.1
  a proxy that sends no header | 1 |  | 127.0.0.1
  a proxy given by its address | 127.0.0.1 | 198.51.100.7, 192.0.2.1 | 192.0.2.1
  proxies given by their ranges | loopback, 10.0.0.0/8 | 192.0.2.1, 10.1.2.3 | 192.0.2.1
  a proxy that is not on the list | 10.0.0.0/8 | 192.0.2.1 | 127.0.0.1
  a text that is not an address | 1 | 192.0.2.1, unknown | 127.0.0.1
  an IPv6 address | loopback | 2001:db8::1 | 2001:db8::1
`)
  clients(`${what}: ${forwarded || 'no header'} is ${expected}`, async () => {
    assert.is(await clientFor(trusted, forwarded || undefined), expected);
  });

clients('invalid proxies are refused', () => {
  for (const text of ['x', '10.0.0.0/99', '1, x', '300.1.1.1/8']) {
    assert.throws(
      () => readTrustedProxies(text),
      (error: Error) => error instanceof TypeError,
      text,
    );
  }
});

clients('all addresses of one /64 count as one client, and no others', () => {
  for (const other of ['2001:DB8::1', '2001:db8:0:0:ffff::', '2001:db8:0:0:a:b:c:d'])
    assert.is(networkOf(other), networkOf('2001:db8::2'), other);
  for (const zone of ['eth0', 'en-0', '1']) assert.is(networkOf(`fe80::1%${zone}`), networkOf('fe80::2'));
  assert.is(networkOf('2001:db8:0:a::1'), '2001:db8:0:a::/64');
  assert.is.not(networkOf('2001:db8:0:1::1'), networkOf('2001:db8::1'));
});

clients('an address belongs to a /64, a /56 and a /48, or to itself and a /24', () => {
  const namesOf = (address: string) => networksOf(address).map(({ network, width }) => `${width} ${network}`);
  assert.equal(namesOf('2001:db8:a:12ff::1'), [
    'connection 2001:db8:a:12ff::/64',
    'customer 2001:db8:a:1200::/56',
    'site 2001:db8:a::/48',
  ]);
  for (const address of ['192.0.2.7', '::ffff:192.0.2.7'])
    assert.equal(namesOf(address), ['connection 192.0.2.7', 'site 192.0.2.0/24']);
});

clients.run();
