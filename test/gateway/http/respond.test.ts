import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ReplyCache, sendResult } from '../../../gateway/http/respond.ts';

const test = suite('respond');

const ADDRESS = '/api/x/characters?q=Content-Encoding';
const RESPONSE = {
  tag: 'content',
  body: () => ({ json: Buffer.alloc(2000), links: `<${ADDRESS}&offset=0>; rel="first"` }),
};

for (const coding of ['identity', 'gzip', 'br']) {
  test(`keeps bytes from the second request: ${coding}`, async () => {
    const cache = new ReplyCache(100_000);
    const request = new IncomingMessage(new Socket());
    Object.assign(request, { url: ADDRESS, headers: { 'accept-encoding': coding } });
    const isKept = [];
    let made = 0;
    const body = () => {
      made++;
      return RESPONSE.body();
    };
    for (let times = 0; times < 3; times++) {
      const place = cache.placeOf(request, undefined);
      await sendResult(request, new ServerResponse(request), { ...RESPONSE, body }, place);
      isKept.push(cache.placeOf(request, undefined).last !== undefined);
    }
    assert.equal(isKept, [false, true, true]);
    assert.is(made, 2);
  });
}

test.run();
