import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { parse } from 'csv-parse/sync';
import { chromium } from 'playwright-core';
import { Webhook } from 'standardwebhooks';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startConsumer } from '../gateway/people/alerts/consumer.ts';
import { startProcess } from '../support/command.ts';
import { makeFolder } from '../support/fixtures.ts';
import { ROOT } from '../support/paths.ts';
import { findProgram, withPrograms } from '../support/skip.ts';
import { until } from '../support/until.ts';
import { CHARACTER_COUNT, type DemoWorld, startDemo, startRefusing } from './demo-world.ts';

const EXAMPLES = path.join(ROOT, 'docs/examples');
const MAX_LINES = 80;

interface Context {
  demo: DemoWorld;
  /** Refuses the first request, and passes all later ones on to the demo. */
  refusing: Awaited<ReturnType<typeof startRefusing>>;
}

interface Message {
  content: string;
  embeds?: { title: string; description?: string; fields?: { name: string; value: string }[] }[];
}

/** The functions of discord-bot.mjs. */
interface Bot {
  searchMessage(api: object, game: string, text: string): Promise<Message>;
  compareMessage(api: object, game: string, ids: string[]): Promise<Message>;
  verifyWebhook(secret: string, headers: object, body: string, now?: number): { type: string };
  eventMessage(event: object): Message;
}

const examples = suite<Context>('the examples');
examples.before(async (context) => {
  context.demo = await startDemo();
});
examples.after(async ({ demo }) => {
  await demo?.stop();
});
examples.before.each(async (context) => {
  context.refusing = await startRefusing(context.demo.address);
});
examples.after.each(async ({ refusing }) => {
  await refusing.stop();
});

/** The message of the gateway for a key that it does not accept. */
async function readRefusal({ address }: DemoWorld, key: string): Promise<string> {
  const response = await fetch(`${address}/api/saga/facets`, { headers: { 'x-api-key': key } });
  return ((await response.json()) as { detail: string }).detail;
}

withPrograms(examples, 'chromium')(
  'list characters in a browser, with filters',
  async ({ demo, refusing }) => {
    const browser = await chromium.launch({
      executablePath: findProgram('chromium') as string,
      args: ['--no-sandbox'],
    });
    try {
      const page = await browser.newPage();
      const failures: string[] = [];
      page.on('pageerror', (error) => failures.push(error.message));
      await page.goto(pathToFileURL(path.join(EXAMPLES, 'character-list.html')).href);
      const status = page.getByRole('status');
      const showing = (text: string) => status.getByText(text).waitFor();
      await page.getByLabel('Gateway').fill(refusing.address);
      await page.getByLabel('Game').fill('saga');
      await page.getByLabel('API key').fill('gdr_wrong');
      await page.getByRole('button').click();
      await showing('this account has used its 10 requests in 60 seconds. Trying again in 1 s.');
      await showing(await readRefusal(demo, 'gdr_wrong'));
      await page.getByLabel('API key').fill(demo.keys.pro);
      await page.getByRole('button').click();
      await showing(`100 of ${CHARACTER_COUNT} characters, build 1.0`);
      assert.is(await page.getByRole('listitem').count(), 100);
      await page.getByLabel('element').selectOption('Pyro');
      await showing('27 of 27 characters, build 1.0');
      assert.is(await page.getByRole('listitem').first().textContent(), 'Ann *0* (rarity 3)');
      assert.equal(failures, []);
    } finally {
      await browser.close();
    }
  },
);

const loadBot = async () => (await import(pathToFileURL(path.join(EXAMPLES, 'discord-bot.mjs')).href)) as Bot;

examples('search and compare for Discord, and report errors', async ({ demo, refusing }) => {
  const bot = await loadBot();
  const api = { gateway: refusing.address, key: demo.keys.pro };
  const [found] = (await bot.searchMessage(api, 'saga', 'アン')).embeds ?? [];
  assert.is(found?.title, `${CHARACTER_COUNT} found`);
  assert.is(found?.description?.split('\n')[0], 'Ann \\*0\\* · rarity 3 · `c0`');
  assert.is(
    (await bot.searchMessage(api, 'saga', 'x')).embeds?.[0]?.description,
    'No character is called “x”.',
  );
  const [compared] = (await bot.compareMessage(api, 'saga', ['c1', 'c2'])).embeds ?? [];
  assert.equal(
    compared?.fields?.map(({ name, value }) => [name, value]),
    [
      ['Ann \\*1\\*', 'atk: **101**'],
      ['Ann \\*2\\*', 'atk: **102**'],
    ],
  );
  assert.match((await bot.searchMessage(api, 'sage', 'x')).content, /^Sorry: .*saga/);
  const free = { gateway: demo.address, key: demo.keys.free };
  let last: Message = { content: '' };
  for (let count = 0; count <= 10; count++) last = await bot.searchMessage(free, 'saga', 'x');
  assert.match(last.content, /^Sorry: Too many requests, try again in \d+ seconds$/);
});

examples('verify the webhook that a gateway posts, and refuse all others', async ({ demo }) => {
  const bot = await loadBot();
  const consumer = await startConsumer();
  const keys = JSON.parse(await demo.run('keys', 'list', '--json')) as { email: string }[];
  const email = keys.find((key) => key.email.startsWith('demo-pro'))?.email ?? '';
  const issued = await demo.run('alerts', 'webhook', email, consumer.url, '--dev', '--json');
  const { secret } = JSON.parse(issued) as { secret: string };
  await demo.run('alerts', 'test', email);
  await until(() => consumer.posts.length > 0);
  const [{ headers, body } = { headers: {}, body: '' }] = consumer.posts;
  const event = bot.verifyWebhook(secret, headers, body);
  assert.equal(event, JSON.parse(body));
  assert.match(bot.eventMessage(event).content, /^\*\*Test\*\* \(build test\) is out/);
  const verify = (changes: object, text = body) =>
    bot.verifyWebhook(secret, { ...headers, ...changes }, text);
  assert.throws(() => verify({}, `${body} `), /signature/);
  assert.throws(() => verify({ 'webhook-signature': 'v1,x' }), /signature/);
  assert.throws(() => verify({ 'webhook-signature': undefined }), /signature/);
  assert.throws(() => verify({ 'webhook-timestamp': undefined }), /time/);
  assert.throws(() => bot.verifyWebhook(secret, headers, body, Date.now() + 600_000), /time/);
});

examples('announce a build from a webhook signed by the package standardwebhooks', async () => {
  const bot = await loadBot();
  const secret = `whsec_${Buffer.from('a secret of some length').toString('base64')}`;
  const characters = { added: { count: 2 }, removed: { count: 0 }, changed: { count: 7 } };
  const body = JSON.stringify({ type: 'build.released', data: { title: 'Saga', build: '1.1', characters } });
  const now = new Date();
  const headers = {
    'webhook-id': 'an-id',
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': `v1,old ${new Webhook(secret).sign('an-id', now, body)}`,
  };
  const { content } = bot.eventMessage(bot.verifyWebhook(secret, headers, body));
  assert.is(content, '**Saga** (build 1.1) is out. Characters: 2 added, 0 removed, 7 changed.');
});

withPrograms(examples, 'python3')('write all characters to a CSV file', async ({ demo, refusing }) => {
  const folder = await makeFolder('csv');
  const file = path.join(folder, 'characters.csv');
  const run = (gateway: string, key: string) =>
    startProcess('python3', [path.join(EXAMPLES, 'characters-to-csv.py'), gateway, 'saga', file], {
      env: { API_KEY: key },
    }).ended;
  const written = await run(refusing.address, demo.keys.pro);
  assert.is(written.code, 0, written.stderr);
  assert.match(written.stderr, /^waiting 1 s: this account has used its 10 requests in 60 seconds$/m);
  const rows: Record<string, string>[] = parse(await readFile(file), { columns: true });
  assert.is(rows.length, CHARACTER_COUNT);
  const last = rows.find(({ id }) => id === 'c104');
  assert.equal([last?.name_ja, last?.['stats.atk'], last?.tags], ['アン, "104"', '204', '["a", "b"]']);
  const refused = await run(demo.address, 'gdr_wrong');
  assert.is(refused.code, 1);
  assert.match(refused.stderr, /characters.*: 401 /);
});

for (const name of ['character-list.html', 'discord-bot.mjs', 'characters-to-csv.py']) {
  examples(`${name} is short`, async () => {
    const lines = (await readFile(path.join(EXAMPLES, name), 'utf8')).split('\n').length - 1;
    assert.ok(lines < MAX_LINES, `${lines} lines`);
  });
}

examples.run();
