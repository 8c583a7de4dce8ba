import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isStrict } from '../../../gateway/commands/settings.ts';
import { readTrustedProxies } from '../../../gateway/http/incoming.ts';
import type { LogFields } from '../../../gateway/http/log.ts';
import { readWebhookUrl } from '../../../gateway/people/alerts/post.ts';
import { readPeopleSettings } from '../../../gateway/people/people.ts';
import { QUIET } from '../../support/quiet.ts';
import { table } from '../../support/table.ts';

const strictMode = suite('a gateway');
const NO_PROXY = { trustedProxy: readTrustedProxies('') };

for (const [host = '', publicUrl = '', expected] of table`
  127.0.0.1 |  | no
  127.8.0.1 |  | no
  ::1 |  | no
  ::ffff:127.0.0.1 |  | no
  localhost |  | no
  localhost | http://localhost:8080 | no
  127.0.0.1 | http://[::1]:3000 | no
  127.0.0.1 | https://api.example.org | yes
  127.0.0.1 | http://10.0.0.1 | yes
  127.0.0.1 | http://localhost.example.org | yes
  0.0.0.0 |  | yes
  :: |  | yes
  10.0.0.1 |  | yes
  api.example.org |  | yes
  0.0.0.0 | http://127.0.0.1:3000 | yes
`)
  strictMode(`on ${host}, reached at ${publicUrl || 'the same'}, is strict: ${expected}`, () => {
    const options = { host, ...(publicUrl && { publicUrl }), ...NO_PROXY };
    assert.is(isStrict({ ...options, dev: false }), expected === 'yes');
    assert.is(isStrict({ ...options, dev: true }), false);
  });

strictMode('that is deployed as the documents say sends no webhooks to private addresses', async () => {
  const options = { host: '0.0.0.0', publicUrl: 'https://api.example.org', ...NO_PROXY, dev: false };
  const { policy, mailer, signupMailer, accountMailer } = await readPeopleSettings(options, QUIET);
  assert.throws(() => readWebhookUrl('http://127.0.0.1:6379/', policy));
  assert.throws(() => readWebhookUrl('https://10.0.0.1/', policy));
  assert.equal([mailer, signupMailer, accountMailer], [undefined, undefined, undefined]);
});

strictMode('behind a proxy on its own machine is strict also without a public URL', async () => {
  for (const [proxies, expected] of [
    ['1', true],
    ['loopback', true],
    ['', false],
    ['0', false],
  ] as const) {
    const options = { host: '127.0.0.1', trustedProxy: readTrustedProxies(proxies), dev: false };
    assert.is(isStrict(options), expected, proxies);
    assert.is(isStrict({ ...options, dev: true }), false);
    const { policy, accountMailer } = await readPeopleSettings(options, QUIET);
    const read = () => readWebhookUrl('http://127.0.0.1:6379/', policy);
    if (expected) assert.throws(read);
    else read();
    assert.is(accountMailer === undefined, expected, 'a session needs a cookie that is Secure');
  }
});

strictMode('that only its own machine reaches writes mails to files', async () => {
  const logged: [string, LogFields?][] = [];
  const log = { ...QUIET, info: (...entry: [string, LogFields?]) => void logged.push(entry) };
  const settings = await readPeopleSettings({ host: '127.0.0.1', ...NO_PROXY, dev: false }, log);
  assert.ok(settings.signupMailer && settings.accountMailer);
  assert.ok(readWebhookUrl('http://127.0.0.1:6379/', settings.policy));
  assert.equal(logged, []);
});

strictMode.run();
