import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { revokeKey } from '../../../../gateway/store/keys.ts';
import { OPERATOR } from '../../../../gateway/store/audit.ts';
import { PLATFORM } from '../../../../gateway/people/audit/audit-event.ts';
import { applyEvents } from '../../../../gateway/people/membership/apply-events.ts';
import {
  FORWARDED,
  keyOn,
  type ReceivedPage,
  type SignupWorld,
  startSignup,
  tokenIn,
} from '../signup/world.ts';

const claims = suite<{ world: SignupWorld }>('the pages of claims');
claims.before(async (context) => {
  context.world = await startSignup();
});
claims.after(({ world }) => world.stop());

/** Signs up, and returns the key. */
async function getKey(world: SignupWorld, email: string): Promise<string> {
  const { text } = await world.post('/signup/key', { token: tokenIn(await world.askForLink(email)) });
  return keyOn(text) ?? '';
}

/** Adds a membership that is paid for, as a webhook does. */
async function pay({ gateway }: SignupWorld, email: string): Promise<void> {
  await applyEvents(
    gateway.store,
    'patreon',
    [
      {
        name: 'members:update',
        id: email,
        member: email,
        email,
        charged_at: '2026-06-01T08:00:00.000Z',
        standing: 'active',
        paid_until: '2026-07-01T00:00:00.000Z',
        grace_until: '2026-07-08T00:00:00.000Z',
      },
    ],
    { actor: PLATFORM, now: gateway.clock.now },
  );
}

async function tierOf({ gateway }: SignupWorld, key: string): Promise<string> {
  return (await gateway.ask('/api/me', { key })).json<{ tier: string }>().tier;
}

function accountOn({ text }: ReceivedPage): string {
  return /name="account" value="([0-9a-f-]{36})"/.exec(text)?.[1] ?? '';
}

function codeIn(text: string | undefined): string | undefined {
  return /^ {4}(\S+)$/m.exec(text ?? '')?.[1];
}

claims('a key, an email address and the code mailed to it make the account Pro', async ({ world }) => {
  const key = await getKey(world, 'ada@example.org');
  await pay(world, 'ada@patrons.example.org');
  assert.match((await world.get('/claim')).text, /<label for="key">/);
  const page = await world.post('/claim', { key: ` ${key} `, email: 'Ada@patrons.example.org' });
  assert.is(page.status, 200);
  assert.not.ok(page.text.includes(key), 'no page carries the key');
  assert.equal(world.smtp.mails.at(-1)?.to, ['ada@patrons.example.org']);
  const code = codeIn(world.smtp.mails.at(-1)?.text) ?? '';
  assert.is(await tierOf(world, key), 'free');
  const claimed = await world.post('/claim/code', { account: accountOn(page), code: code.toUpperCase() });
  assert.is(claimed.status, 200);
  assert.match(claimed.text, /Pro until 2026-07-08/);
  while ((await tierOf(world, key)) !== 'pro');
  assert.is((await world.post('/claim/code', { account: accountOn(page), code })).status, 410, 'once');
});

claims('the page is the same whether or not a membership waits; only the mail differs', async ({ world }) => {
  const key = await getKey(world, 'bob@example.org');
  await pay(world, 'bob@patrons.example.org');
  const pages = [];
  for (const email of ['bob@patrons.example.org', 'nobody@patrons.example.org']) {
    const { status, text } = await world.post('/claim', { key, email });
    pages.push([status, text]);
  }
  assert.equal(pages[0], pages[1]);
  const [member, nobody] = world.smtp.mails.slice(-2).map(({ text }) => text);
  assert.ok(codeIn(member));
  assert.is(codeIn(nobody), undefined);
  assert.match(nobody ?? '', /this email address has no membership/);
});

claims(
  'a code of another account and wrong codes claim nothing, and after five wrong codes the right one is void',
  async ({ world }) => {
    const key = await getKey(world, 'cem@example.org');
    const thief = await getKey(world, 'dan@example.org');
    await pay(world, 'cem@patrons.example.org');
    const other = accountOn(await world.post('/claim', { key: thief, email: 'other@patrons.example.org' }));
    const page = await world.post('/claim', { key, email: 'cem@patrons.example.org' });
    const code = codeIn(world.smtp.mails.at(-1)?.text) ?? '';
    assert.is((await world.post('/claim/code', { account: other, code })).status, 400);
    const statuses = [];
    for (let guess = 0; guess < 5; guess++) {
      const { status, text } = await world.post('/claim/code', {
        account: accountOn(page),
        code: 'aaaaaaaa',
      });
      statuses.push(status);
      assert.match(text, /role="alert"/);
    }
    assert.equal(statuses, [400, 400, 400, 400, 400]);
    assert.is((await world.post('/claim/code', { account: accountOn(page), code })).status, 410);
    assert.equal([await tierOf(world, key), await tierOf(world, thief)], ['free', 'free']);
  },
);

claims('a code is valid for 15 minutes', async ({ world }) => {
  const key = await getKey(world, 'eve@example.org');
  await pay(world, 'eve@patrons.example.org');
  const page = await world.post('/claim', { key, email: 'eve@patrons.example.org' });
  const code = codeIn(world.smtp.mails.at(-1)?.text) ?? '';
  world.gateway.clock.now += 15 * 60_000;
  assert.is((await world.post('/claim/code', { account: accountOn(page), code })).status, 410);
});

claims('without a working key no mail is sent', async ({ world }) => {
  const key = await getKey(world, 'fay@example.org');
  const revoked = await getKey(world, 'gus@example.org');
  await revokeKey(world.gateway.store, revoked.slice(0, 12), OPERATOR);
  const before = world.smtp.mails.length;
  const email = 'x@patrons.example.org';
  const FIELDS: Record<string, string>[] = [
    { key: '', email },
    { key: 'gdr_x', email },
    { key: `${key}a`, email },
    { key: revoked, email },
    { email },
    { key, email: 'x' },
    { key, email: 'fay@example.org' },
  ];
  for (const fields of FIELDS) {
    const { status, text } = await world.post('/claim', fields);
    assert.is(status, 400);
    assert.match(text, /role="alert"/);
    assert.not.ok(fields.key && text.includes(fields.key), 'a key is not shown again');
  }
  for (const account of ['', 'x', 'a'.repeat(3900), '0'.repeat(36)]) {
    assert.is((await world.post('/claim/code', { account, code: 'aaaaaaaa' })).status, 410);
  }
  assert.is(world.smtp.mails.length, before);
});

claims(
  'accepts forms only from its own pages, and mails an email address three times at most',
  async ({ world }) => {
    const key = await getKey(world, 'hal@example.org');
    const fields = { key, email: 'hal@patrons.example.org' };
    const forged = { 'Sec-Fetch-Site': 'cross-site' };
    assert.is((await world.post('/claim', fields, forged)).status, 403);
    assert.is((await world.post('/claim/code', { account: '', code: '' }, forged)).status, 403);
    const statuses = [];
    const network = { [FORWARDED]: '203.0.113.8' };
    for (let count = 0; count < 4; count++) {
      statuses.push((await world.post('/claim', fields, network)).status);
    }
    assert.equal(statuses, [200, 200, 200, 429]);
  },
);

claims('writes no codes, keys or email addresses to the log', async ({ world }) => {
  const codes = world.smtp.mails.flatMap(({ text }) => codeIn(text) ?? []);
  const logged = world.gateway.logged.join('\n');
  assert.ok(codes.length > 3);
  for (const code of codes) assert.not.ok(logged.includes(code));
  assert.match(logged, /a membership was claimed/);
  assert.not.match(logged, /example\.org|gdr_[a-z2-7]{9}/);
});

claims.run();
