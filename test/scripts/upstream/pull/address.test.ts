import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { adviceFor, connectTo } from '../../../../scripts/upstream/pull/fetch.ts';

const test = suite('addresses of upstream repositories');

/** Connects as if the host had these addresses. */
const connect = (address: string, ...addresses: string[]) =>
  connectTo(address, false, undefined, async () => addresses);

async function refusalOf(address: string, ...addresses: string[]): Promise<string> {
  return await connect(address, ...addresses).then(
    () => 'allowed',
    (error: Error) => error.message,
  );
}

test('git connects to the addresses that were checked', async () => {
  assert.equal(await connect('https://Example.org./a/b', '8.8.8.8', '2606:4700::1'), {
    address: 'https://example.org/a/b',
    settings: ['http.curloptResolve=example.org:443:8.8.8.8,[2606:4700::1]'],
    addresses: ['8.8.8.8', '2606:4700::1'],
  });
  const { settings } = await connect('https://example.org:8443/a', '8.8.8.8');
  assert.equal(settings, ['http.curloptResolve=example.org:8443:8.8.8.8']);
});

test('private networks, this machine and other protocols are refused, in every spelling', async () => {
  for (const [address, found] of [
    ['https://example.org/a', '10.0.0.1'],
    ['https://example.org/a', '::ffff:127.0.0.1'],
    ['https://example.org/a', '169.254.169.254'],
    ['https://0x7f.1/a', ''],
    ['https://2130706433/a', ''],
    ['https://[::1]/a', ''],
    ['https://[fd00::1]:8443/a', ''],
    ['https://%31%32%37.0.0.1/a', ''],
  ] as const) {
    assert.match(
      await refusalOf(address, '8.8.8.8', found || '8.8.8.8'),
      /not on the public Internet.*--allow-local/,
    );
  }
  assert.match(
    await refusalOf('http://example.org/a', '8.8.8.8'),
    /does not begin with https.*--allow-local/,
  );
  assert.match(await refusalOf('file:///srv/a', '8.8.8.8'), /does not begin with https.*--allow-local/);
  assert.match(
    await refusalOf('https://example.org/a'),
    'example.org in "source" of game.json cannot be resolved',
  );
});

test('what is no address, an empty repository and an unexpected 304 are called so', async () => {
  assert.match(await refusalOf('https://example.org:99999/a'), 'in "source" of game.json is not an address');
  assert.match(adviceFor("couldn't find remote ref HEAD"), 'or the repository is empty');
  assert.not.match(adviceFor('304'), 'it moved');
});

test.run();
