import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isRedisAddress, nameStore, StoreError } from '../../../gateway/store/store.ts';
import { parseRedisAddress } from '../../../gateway/redis/redis-address.ts';

const test = suite('the address of a store');

test('names servers, a cluster or sentinels, with user, password and database for each', () => {
  const parse = (address: string) => {
    const { kind, hosts, master, urlOf } = parseRedisAddress(address);
    return [kind, hosts, master, urlOf('other:1')];
  };
  assert.equal(parse('redis://host'), ['server', ['host:6379'], '', 'redis://other:1']);
  assert.equal(parse('rediss://ada:s%40t@host:1/2'), [
    'server',
    ['host:1'],
    '',
    'rediss://ada:s%40t@other:1/2',
  ]);
  assert.equal(parse('redis+cluster://:pw@a:1,[::1]:2,c'), [
    'cluster',
    ['a:1', '[::1]:2', 'c:6379'],
    '',
    'redis://:pw@other:1',
  ]);
  assert.equal(parse('REDISS+SENTINEL://a,b:1/games/3'), [
    'sentinel',
    ['a:26379', 'b:1'],
    'games',
    'rediss://other:1/3',
  ]);
});

test('is refused with what was expected', () => {
  for (const [address, expected] of [
    ['redis://', 'redis://host:6379'],
    ['redis://a,b', 'redis://host:6379'],
    ['redis+cluster://a:1/3', 'redis+cluster://host:7000,host:7001'],
    ['redis+cluster://a:1,', 'redis+cluster://host:7000,host:7001'],
    ['redis+sentinel://a:1', 'redis+sentinel://host:26379,host:26379/mymaster'],
  ] as const) {
    try {
      parseRedisAddress(address);
      assert.unreachable(address);
    } catch (error) {
      assert.instance(error, StoreError, address);
      assert.ok((error as Error).message.endsWith(`expected ${expected}`), `${address}: ${error}`);
    }
  }
});

test('is shown without its password', () => {
  assert.is(nameStore('redis://ada:secret@host:1/2'), 'redis://ada@host:1/2');
  assert.is(nameStore('redis+cluster://:secret@a:1,b:2'), 'redis+cluster://@a:1,b:2');
  assert.is(nameStore('redis+sentinel://ada:secret@a:1/games'), 'redis+sentinel://ada@a:1/games');
  assert.is(nameStore('redis://host:1'), 'redis://host:1');
  assert.is(nameStore('var/store'), 'var/store');
});

test('of a folder is any other text', () => {
  for (const address of ['redis+sentinel://a/b', 'rediss+cluster://a', 'REDIS://a'])
    assert.ok(isRedisAddress(address));
  for (const address of ['var/redis', 'redis+other://a', '/redis://']) assert.not.ok(isRedisAddress(address));
});

test.run();
