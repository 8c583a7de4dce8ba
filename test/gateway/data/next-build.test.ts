import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { gameFiles, inFolder } from '../../support/fixtures.ts';
import { startGateway } from '../../support/harness.ts';

const test = suite('builds to come');
const DAY = 86_400_000;
const START = Date.parse('2026-06-01T12:00:00Z');

test('only the next one is in memory, and each becomes current in its time', async () => {
  const later = Array.from({ length: 9 }, (_, at) => [
    `2.${at}/build.json`,
    { released_at: `2026-06-${String(11 + at).padStart(2, '0')}` },
  ]);
  const files = { ...gameFiles(), ...Object.fromEntries(later) };
  const gateway = await startGateway(inFolder('mini', files), { start: START });
  const { clock, follower } = gateway;
  try {
    const loaded = async () => {
      await follower.look();
      return follower.catalog.loaded.map(({ build }) => build);
    };
    assert.equal(await loaded(), ['1.0', '2.0']);
    for (let at = 0; at < 9; at++) {
      clock.now = Date.parse('2026-06-11T01:00:00Z') + at * DAY;
      const builds = await loaded();
      const { text } = await gateway.ask('/api/games');
      assert.match(text, `"build":"2.${at}"`);
      assert.ok(builds.length <= 3, `${builds}`);
      assert.not.match(text, `"build":"2.${at + 1}"`);
    }
  } finally {
    await gateway.stop();
  }
});

test.run();
