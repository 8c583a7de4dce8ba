import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startGateway, type TestGateway } from '../../support/harness.ts';
import { SAMPLE_GAMES } from '../../support/sample-games.ts';

const test = suite<{ gateway: TestGateway }>('changes that are announced');
test.before(async (context) => {
  context.gateway = await startGateway(SAMPLE_GAMES);
});
test.after(({ gateway }) => gateway.stop());

test('/changes.atom has an entry for each change, with an id of its own', async ({ gateway }) => {
  const response = await fetch(`${gateway.address}/changes.atom`);
  const atom = await response.text();
  assert.is(response.headers.get('content-type'), 'application/atom+xml; charset=utf-8');
  const ids = [...atom.matchAll(/<id>(urn:sha256:[0-9a-f]{64})<\/id>/g)].map(([, id]) => id);
  assert.ok(ids.length > 0, `${ids.length} entries`);
  assert.is(new Set(ids).size, ids.length);
  assert.is(atom.match(/<updated>\d{4}-\d{2}-\d{2}T/g)?.length, ids.length + 1);
  assert.not.match(atom, /\]\(docs\//);
});

test.run();
