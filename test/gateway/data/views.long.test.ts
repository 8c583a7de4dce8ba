import fastGlob from 'fast-glob';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Account, counterNameOf, type Tier } from '../../../gateway/access/account.ts';
import { accountByEmail } from '../../support/accounts.ts';
import { startGateway, type TestGateway } from '../../support/harness.ts';
import { DAWN, filesOf, HOUR, NOWHERE, type World, worlds } from './random-world.ts';
import { fc, runsOf, someOf } from '../../support/random.ts';
import { type Probe, probesOf, visibleTo } from './view-oracle.ts';

const views = suite('views');
const TIERS: Tier[] = ['free', 'pro'];

/** Headers that differ in every response. */
const VARYING = /^(date|x-request-id|ratelimit.*)$/;

/** A response, without what differs in every response. */
interface Received {
  status: number;
  headers: string;
  text: string;
}

async function ask(gateway: TestGateway, tier: Tier, path: string): Promise<Received & { json(): never }> {
  const { status, headers, text, json } = await gateway.ask(path, { key: gateway.keys[tier] });
  // These are more requests than a free account may send, and each response says how many are left.
  if (tier === 'free') {
    const known = await accountByEmail(gateway.store, 'free@example.org');
    await gateway.store.run('DELETE FROM quota WHERE name = $1', [counterNameOf(known?.account as Account)]);
  }
  const lines = [...headers].filter(([name]) => !VARYING.test(name));
  return { status, text, json: json<never>, headers: JSON.stringify(lines) };
}

/** The moments at which a view changes, and one ms before each; the next day begins at the last. */
function momentsOf(world: World): number[] {
  const moves = world.flatMap(({ releasedAt }) => [releasedAt, releasedAt + 24 * HOUR]);
  const midnight = Math.ceil((Math.max(...moves) + 1) / (24 * HOUR)) * 24 * HOUR;
  const moments = [...moves, midnight].flatMap((moment) => [moment - 1, moment]);
  return [...new Set([DAWN, ...moments])].sort((a, b) => a - b);
}

/** Requests every address, and compares the responses with the oracle. @returns those that depend only on the world, by path */
async function walk(
  gateway: TestGateway,
  world: World,
  tier: Tier,
  now: number,
): Promise<Map<string, Received>> {
  const seen = visibleTo(world, tier, now);
  const unseen = world.filter((build) => !seen.includes(build)).map(({ word }) => word);
  const responses = new Map<string, Received>();
  for (const probe of probesOf(world, tier, now)) {
    const where = `${tier} at ${new Date(now).toISOString()}: ${probe.path}`;
    const { json, ...received } = await ask(gateway, tier, probe.path);
    checkProbe(where, probe, received, json);
    const asked = unseen.filter((word) => probe.path.includes(word));
    const twin = asked.reduce((path, word) => path.replaceAll(word, NOWHERE), probe.path);
    if (asked.length === 0) checkSilence(where, received, unseen);
    else if (asked.length === 1) await checkTwin(where, gateway, tier, twin, received, asked[0] as string);
    else checkSilence(where, await ask(gateway, tier, twin), unseen);
    if (probe.path !== '/api/me') responses.set(probe.path, received);
  }
  for (const path of nearMisses(world, seen)) {
    checkSilence(`${tier} ${path}`, await ask(gateway, tier, path), unseen);
  }
  return responses;
}

function checkProbe(where: string, { status, content }: Probe, response: Received, json: () => never): void {
  assert.is(response.status, status, `${where}: ${response.text}`);
  if (status === 200 && content) assert.equal(content.pick(json()), content.expected, where);
}

function checkSilence(where: string, { headers, text }: Received, unseen: readonly string[]): void {
  for (const word of unseen)
    assert.not.ok((headers + text).includes(word), `${where} reveals ${word}: ${text}`);
}

/** Checks that the response for something that the caller may not see is the same as for something that does not exist, except its name. */
async function checkTwin(
  where: string,
  gateway: TestGateway,
  tier: Tier,
  path: string,
  received: Received,
  word: string,
): Promise<void> {
  const { json: _, ...twin } = await ask(gateway, tier, path);
  const named = { ...twin, text: twin.text.replaceAll(NOWHERE, word) };
  if (twin.status === 200) {
    // The list exists in both cases, and its ETag and links depend on the address.
    assert.is(received.text, named.text, where);
  } else assert.equal(received, named, where);
}

/** Requests with misspelt names: an error may suggest the nearest name only if the caller may see it. */
function nearMisses(world: World, seen: World): string[] {
  return world.flatMap(({ game, word }) => {
    const near = `${word.slice(0, -1)}z`;
    const inside = [
      `ds_${near}`,
      `characters/c-${near}`,
      `compare?ids=c-${near}`,
      `characters?f_${near}=1`,
      `characters?sort=f_${near}`,
      `characters?fields=f_${near}`,
      `history/c-${near}`,
      `snapshot/b-${near}`,
      `diff?from=b-${near}&to=b-${near}`,
    ];
    const isSeen = seen.some((build) => build.game === game);
    return [
      `/api/g-${near}/characters`,
      `/api/g-${near}/history`,
      ...(isSeen ? inside.map((rest) => `/api/${game}/${rest}`) : []),
    ];
  });
}

views('show each tier what it may see at every moment, and nothing else', async () => {
  await fc.assert(
    fc.asyncProperty(worlds, fc.nat(), async (world, start) => {
      const gateway = await startGateway(filesOf(world), { start: DAWN });
      const responses = new Map<
        string,
        { seen: World; tier: Tier; now: number; received: Map<string, Received> }
      >();
      try {
        for (const now of someOf(momentsOf(world), start)) {
          gateway.clock.now = now;
          for (const tier of TIERS) {
            const received = await walk(gateway, world, tier, now);
            const seen = visibleTo(world, tier, now);
            responses.set(`${tier} ${seen.map(({ word }) => word)}`, { seen, tier, now, received });
          }
        }
        await checkDist(gateway);
      } finally {
        await gateway.stop();
      }
      for (const { seen, tier, now, received } of responses.values())
        await checkAlone(seen, tier, now, received);
    }),
    { ...runsOf(1), includeErrorInReport: true },
  );
});

/** Checks that the responses, headers included, are the same bytes as over a dist/ that has only the visible builds. */
async function checkAlone(
  seen: World,
  tier: Tier,
  now: number,
  received: ReadonlyMap<string, Received>,
): Promise<void> {
  const gateway = await startGateway(filesOf(seen), { start: now });
  try {
    for (const [path, response] of received) {
      const { json: _, ...alone } = await ask(gateway, tier, path);
      assert.equal(response, alone, `${tier} ${path}`);
    }
  } finally {
    await gateway.stop();
  }
}

/** No file of dist/ is an address. */
async function checkDist({ dist, address, keys }: TestGateway): Promise<void> {
  for (const file of await fastGlob('**/*', { cwd: dist })) {
    for (const path of [`/${file}`, `/dist/${file}`, `/api/${file}`]) {
      const { status } = await fetch(address + path, { headers: { 'x-api-key': keys.pro } });
      assert.is(status, 404, path);
    }
  }
}

views.run();
