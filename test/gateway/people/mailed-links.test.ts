import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { accountByEmail } from '../../support/accounts.ts';
import { issueKey } from '../../support/harness.ts';
import { contentOf } from '../store/store-content.ts';
import { type BrowserPage, keyOn } from './browser.ts';
import { startWorld, tokenIn, type World } from './world.ts';

const MINUTE = 60_000;

/** The forms that mail a link, where the button of the link sends its token, and what this returns once. */
const FORMS = [
  { form: '/signup', link: '/signup/key', done: 200, secretOf: keyOn },
  {
    form: '/account',
    link: '/account/enter',
    done: 303,
    secretOf: ({ headers }: BrowserPage) =>
      /^__Host-session=([^;]+)/.exec(headers.get('set-cookie') ?? '')?.[1],
  },
] as const;

for (const { form, link: action, done, secretOf } of FORMS) {
  const test = suite<{ world: World }>(`the link that ${form} mails`);
  test.before(async (context) => {
    context.world = await startWorld();
  });
  test.after(({ world }) => world.stop());

  /** Requests a link to an account, and returns its path. */
  const ask = async (world: World, email: string) => {
    await issueKey(world.gateway.store, 'free', email);
    return form === '/signup' ? await world.askForKey(email) : await world.askToEnter(world.open(), email);
  };

  test('works once, when its button is clicked, and not when it is only followed', async ({ world }) => {
    const link = await ask(world, 'ann@example.org');
    for (let visit = 0; visit < 3; visit++) {
      const page = await world.get(link);
      assert.equal([page.status, secretOf(page)], [200, undefined]);
      assert.match(page.text, /ann@example\.org/);
    }
    assert.is((await accountByEmail(world.gateway.store, 'ann@example.org'))?.keys.length, 1);
    const page = await world.post(action, { token: tokenIn(link) });
    assert.equal([page.status, page.headers.get('cache-control')], [done, 'no-store']);
    assert.ok(secretOf(page));
    for (const again of [await world.get(link), await world.post(action, { token: tokenIn(link) })]) {
      assert.equal([again.status, secretOf(again)], [410, undefined]);
      assert.match(again.text, /Request another link/);
    }
  });

  test('works for one of many simultaneous clicks', async ({ world }) => {
    const token = tokenIn(await ask(world, 'cem@example.org'));
    for (const wrong of ['', 'x', token.toUpperCase(), `${token}0`])
      assert.is((await world.post(action, { token: wrong })).status, 410);
    const clicks = Array.from({ length: 20 }, () => world.post(action, { token }));
    const statuses = (await Promise.all(clicks)).map(({ status }) => status);
    assert.equal(statuses.sort(), [done, ...Array(19).fill(410)]);
  });

  test('is valid for 30 minutes', async ({ world }) => {
    const link = await ask(world, 'ben@example.org');
    world.gateway.clock.now += 30 * MINUTE - 1;
    assert.is((await world.get(link)).status, 200);
    world.gateway.clock.now += 1;
    assert.is((await world.get(link)).status, 410);
    assert.is((await world.post(action, { token: tokenIn(link) })).status, 410);
  });

  test('is only in the mail: the page is the same for an address without an account', async ({ world }) => {
    await issueKey(world.gateway.store, 'free', 'known@example.org');
    const responses = [];
    for (const email of ['known@example.org', 'other@example.org']) {
      const { status, headers, text } = await world.post(form, { email });
      const names = [...headers.keys()].filter((name) => name !== 'content-length');
      responses.push([status, names, headers.get('content-security-policy'), text.replaceAll(email, '…')]);
    }
    assert.equal(responses[0], responses[1]);
    const [known, other] = world.smtp.mails.slice(-2).map(({ text }) => text);
    assert.is.not(known?.replaceAll(/token=\w+/g, ''), other?.replaceAll(/token=\w+/g, ''));
  });

  test('is not in the store or the log, nor is what it returns, nor email addresses in the log', async ({
    world,
  }) => {
    const waiting = tokenIn(await ask(world, 'hal@example.org'));
    const used = tokenIn(await ask(world, 'gus@example.org'));
    const secret = secretOf(await world.post(action, { token: used })) ?? '';
    await world.get(`${action}/${waiting}`);
    await new Promise((resolve) => setImmediate(resolve));
    const kept = await contentOf(world.gateway.store);
    const logged = world.gateway.logged.join('\n');
    assert.ok(kept.includes('hal@example.org'), 'the test reads what the store holds');
    for (const each of [waiting, used, secret])
      assert.not.ok(each.length < 30 || kept.includes(each) || logged.includes(each));
    assert.ok(logged.includes(`"path":"${action}"`));
    assert.not.match(logged, /example\.org|token=|gdr_[a-z2-7]{9}/);
  });
  test.run();
}
