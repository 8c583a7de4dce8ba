import { Webhook } from 'standardwebhooks';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { verifyWebhook } from '../../../gateway/client/client.ts';

const webhook = suite('verifyWebhook');
const secret = `whsec_${Buffer.from('a secret of some length').toString('base64')}`;
const body = JSON.stringify({ id: 'an-id', type: 'build.released', data: { title: 'Saga', build: '1.1' } });
const now = new Date();
const headers = {
  'webhook-id': 'an-id',
  'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
  'webhook-signature': `v1,b2xk ${new Webhook(secret).sign('an-id', now, body)}`,
};

webhook('returns the event of a webhook that the package standardwebhooks signed', async () => {
  const event = await verifyWebhook({ secret, headers, body });
  assert.equal([event.type, event.data.build], ['build.released', '1.1']);
  assert.equal(await verifyWebhook({ secret, headers: new Headers(headers), body }), event);
});

const WRONG: Record<string, [Partial<Parameters<typeof verifyWebhook>[0]>, RegExp]> = {
  'another body': [{ body: `${body} ` }, /signature/],
  'another secret': [{ secret: `whsec_${btoa('other')}` }, /signature/],
  'a secret that is no base 64': [{ secret: `${secret}AA` }, /secret/],
  'no secret': [{ secret: '' }, /secret/],
  'another id': [{ headers: { ...headers, 'webhook-id': 'other' } }, /signature/],
  'no signature': [{ headers: { ...headers, 'webhook-signature': undefined } }, /signature/],
  'a signature that is no base 64': [{ headers: { ...headers, 'webhook-signature': 'v1,~' } }, /signature/],
  'no time': [{ headers: { ...headers, 'webhook-timestamp': undefined } }, /time/],
  'a time that is no number': [{ headers: { ...headers, 'webhook-timestamp': 'now' } }, /time/],
  'an old time': [{ now: now.getTime() + 301_000 }, /time/],
};
for (const [what, [change, message]] of Object.entries(WRONG)) {
  webhook(`refuses ${what}`, async () => {
    const error = await verifyWebhook({ secret, headers, body, ...change }).catch(
      (caught: unknown) => caught,
    );
    assert.match((error as Error).message, message);
  });
}

webhook.run();
