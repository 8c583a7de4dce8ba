import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Diagnosis } from '../../../../gateway/doctor/checks.ts';
import { openStore } from '../../../../gateway/store/open-store.ts';
import { buildGames } from '../../../support/dist-fixture.ts';
import { ROOT } from '../../../support/paths.ts';
import { runInProcess } from '../../../support/run-in-process.ts';
import { SAMPLE_GAMES } from '../../../support/sample-games.ts';
import { startSmtp } from '../../people/mail/smtp-server.ts';

interface Context {
  folder: string;
  env: Record<string, string>;
}

const doctor = suite<Context>('gateway doctor');
doctor.before(async (context) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'doctor-'));
  await buildGames(SAMPLE_GAMES, path.join(folder, 'dist'));
  context.folder = folder;
  context.env = {
    GATEWAY_DIST: path.join(folder, 'dist'),
    GATEWAY_STORE: path.join(folder, 'store'),
    GATEWAY_PORT: '0',
  };
});
doctor.after(async ({ folder }) => {
  await rm(folder, { recursive: true });
});

doctor(
  'reads the environment, prints a line for each check, and changes nothing',
  async ({ folder, env }) => {
    const { code, stdout, stderr } = await runInProcess('gateway', ['doctor'], { cwd: folder, env });
    assert.equal([code, stderr], [0, '']);
    assert.match(
      stdout,
      /^not set {2}store: there is no store in .*\n {9}→ the first start makes an empty one/m,
    );
    assert.match(stdout, /^ok {7}dist: the compiled data is there and can be loaded$/m);
    assert.not.ok(existsSync(path.join(folder, 'store')));
  },
);

doctor('says of each check that had nothing to check that it is not set', async ({ folder, env }) => {
  const findLevels = async (more: Record<string, string>) => {
    const { stdout } = await runInProcess('gateway', ['doctor', '--json'], {
      ...{ cwd: folder, env: { ...env, ...more } },
    });
    const found = JSON.parse(stdout) as Diagnosis[];
    return Object.fromEntries(found.map(({ check, faults }) => [check, faults.map(({ level }) => level)]));
  };
  const bare = await findLevels({});
  for (const check of ['store', 'secrets', 'proxy', 'mail']) assert.equal(bare[check], ['not set'], check);
  const reachable = await findLevels({ GATEWAY_HOST: '0.0.0.0' });
  for (const check of ['secrets', 'proxy', 'mail']) assert.equal(reachable[check], ['warning'], check);
});

doctor(
  'does not take over a folder of a version before 0.2, as other commands that only read',
  async ({ folder, env }) => {
    const store = path.join(folder, 'store-0.1');
    const data = Buffer.alloc(4096);
    data.writeUInt32LE(0xbeefc0de, 24);
    await mkdir(store);
    await writeFile(path.join(store, 'data.mdb'), data);
    await writeFile(path.join(store, 'identity'), 'of this store\n');
    const run = (...args: string[]) =>
      runInProcess('gateway', args, { cwd: folder, env: { ...env, GATEWAY_STORE: store } });
    const checked = [await run('doctor'), await run('serve', '--check')];
    for (const { code, stdout } of checked) {
      assert.is(code, 0, stdout);
      assert.match(
        stdout,
        /^not set {2}store: .*before 0\.2, and was not taken over; start the gateway once/m,
      );
    }
    const read = [await run('store', 'verify'), await run('store', 'backup', 'backup.sqlite')];
    for (const { code, stderr } of read) {
      assert.is(code, 1);
      assert.match(stderr, /before 0\.2, and was not taken over; start the gateway once/);
    }
    const other = await openStore(store, { identity: 'of another' }).catch(String);
    assert.match(String(other), /its identity is of this store, expected of another \(--store-id\)/);
    assert.equal((await readdir(store)).sort(), ['data.mdb', 'identity']);
  },
);

doctor('takes an empty environment variable as one that is not set', async ({ folder, env }) => {
  const page = await readFile(path.join(ROOT, 'docs/operators/settings.md'), 'utf8');
  const names = new Set(page.match(/(?<=`)[A-Z][A-Z0-9]*_[A-Z0-9_]+(?=`)/g));
  assert.ok(names.size > 30, [...names].join(' '));
  const empty = Object.fromEntries([...names].map((name) => [name, '']));
  const plain = await runInProcess('gateway', ['doctor', '--json'], { cwd: folder, env });
  const { code, stdout, stderr } = await runInProcess('gateway', ['doctor', '--json'], {
    ...{ cwd: folder, env: { ...empty, ...env } },
  });
  assert.equal([code, stderr], [0, '']);
  assert.equal(stdout, plain.stdout);
});

doctor('names an environment variable that is wrong', async ({ folder, env }) => {
  const { code, stderr } = await runInProcess('gateway', ['doctor'], {
    ...{ cwd: folder, env: { ...env, GATEWAY_TRUSTED_PROXY: 'x' } },
  });
  assert.is(code, 2);
  assert.match(stderr, /^gateway: option '--trusted-proxy .*' value 'x' from env 'GATEWAY_TRUSTED_PROXY' is/);
});

doctor('ends with exit code 1 and advice if the gateway could not run', async ({ folder, env }) => {
  const { code, stdout, stderr } = await runInProcess('gateway', ['doctor'], {
    ...{ cwd: folder, env: { ...env, GATEWAY_DIST: 'nowhere' } },
  });
  assert.is(code, 1);
  assert.match(stdout, /^error {4}dist: .*\n {9}→ run gamedata build/m);
  assert.is(stderr, 'gateway: the gateway cannot run with these settings: 1 of the checks failed\n');
});

doctor('serve --check checks the options of serve, and does not serve', async ({ folder, env }) => {
  const args = ['serve', '--check', '--cdn-url', 'https://cdn.example.org', '--workers', '2'];
  const { code, stdout } = await runInProcess('gateway', args, { cwd: folder, env });
  assert.is(code, 1);
  assert.match(stdout, /^error {4}configuration: --cdn-url is for a CDN/m);
});

doctor('fails behind a proxy without a public URL, and with --dev', async ({ folder, env }) => {
  const check = (...args: string[]) =>
    runInProcess('gateway', ['serve', '--check', '--trusted-proxy', '1', ...args], { cwd: folder, env });
  const url = ['--public-url', 'https://api.example.org'];
  const found = await Promise.all([check(), check(...url, '--dev'), check(...url)]);
  assert.equal(
    found.map(({ code }) => code),
    [1, 1, 0],
  );
  assert.match(found[0]?.stdout ?? '', /^error {4}proxy: --public-url is not set, although --trusted-proxy/m);
  assert.match(found[1]?.stdout ?? '', /^error {4}proxy: --dev turns the strict rules off/m);
});

doctor('prints JSON, and signs in at the mail server without sending a mail', async ({ folder, env }) => {
  const smtp = await startSmtp();
  const mail = { SMTP_URL: smtp.url, MAIL_FROM: 'Keys <keys@example.org>' };
  const run = () => runInProcess('gateway', ['doctor', '--json'], { cwd: folder, env: { ...env, ...mail } });
  const findMail = (text: string) => (JSON.parse(text) as Diagnosis[]).find(({ check }) => check === 'mail');
  try {
    assert.equal(findMail((await run()).stdout)?.faults, []);
    assert.is(smtp.mails.length, 0);
  } finally {
    await smtp.stop();
  }
  const { code, stdout } = await run();
  assert.is(code, 1);
  assert.is(findMail(stdout)?.faults[0]?.level, 'error');
});

doctor.run();
