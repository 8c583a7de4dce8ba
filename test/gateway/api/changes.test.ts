import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { handle } from '../../../gateway/api/api.ts';
import type { Route, Services } from '../../../gateway/api/route.ts';
import { gamesRoute } from '../../../gateway/api/games.ts';
import { describePaths } from '../../../gateway/openapi/operations.ts';
import { startGateway, type TestGateway } from '../../support/harness.ts';
import { SAMPLE_GAMES } from '../../support/sample-games.ts';

const test = suite<{ gateway: TestGateway }>('changes that are announced');
test.before(async (context) => {
  context.gateway = await startGateway(SAMPLE_GAMES);
});
test.after(({ gateway }) => gateway.stop());

const LINK = '/docs/consumers/changes';

test('a deprecated address says since when, until when, and where to read more', async ({ gateway }) => {
  const view = gateway.follower.catalog.viewAt(gateway.clock.now, 'pro');
  const request = { path: '/api/games', search: '', params: {}, headers: {} };
  const linesOf = async (deprecated: Route['deprecated']) => {
    const route: Route = { ...gamesRoute, ...(deprecated && { deprecated }) };
    const result = await handle(route, request, view, 'json', {} as Services);
    return 'lines' in result ? result.lines : undefined;
  };
  const since = '2026-01-01T00:00:00Z';
  assert.is(await linesOf(undefined), undefined);
  assert.is(
    await linesOf({ since, link: LINK }),
    `Deprecation: @1767225600\r\nLink: <${LINK}>; rel="deprecation"; type="text/html"\r\n`,
  );
  assert.match(
    (await linesOf({ since, sunset: '2027-01-01T00:00:00Z', link: LINK })) ?? '',
    /\r\nSunset: Fri, 01 Jan 2027 00:00:00 GMT\r\n/,
  );
  const games = { ...gamesRoute, parameters: [] };
  const describe = (route: typeof games & Pick<Route, 'deprecated'>) =>
    JSON.stringify(describePaths([route]));
  assert.match(describe({ ...games, deprecated: { since, link: LINK } }), '"deprecated":true');
  assert.not.match(describe(games), '"deprecated"');
});

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
