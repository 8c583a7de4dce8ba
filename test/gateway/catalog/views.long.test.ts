import fastGlob from 'fast-glob';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { accountByEmail } from '../../../gateway/people/accounts/accounts.ts';
import type { Tier } from '../../../gateway/plans/account.ts';
import { startGateway, type TestGateway } from '../../support/harness.ts';
import { fc, runsOf } from '../../support/random.ts';
import { DAWN, filesOf, HOUR, NOWHERE, type World, worlds } from '../../support/random-world.ts';
import { type Probe, probesOf, visibleTo } from '../../support/view-oracle.ts';

const views = suite('views');
const TIERS: Tier[] = ['free', 'pro'];

/** All of an answer but what no two answers have in common. */
interface Told {
  status: number;
  headers: string;
  text: string;
}

async function ask(gateway: TestGateway, tier: Tier, path: string): Promise<Told & { json(): never }> {
  const { status, headers, text, json } = await gateway.ask(path, { key: gateway.keys[tier] });
  // More is asked here than a free account may, and what is left is told in each answer.
  if (tier === 'free') {
    const known = await accountByEmail(gateway.store, 'free@example.org');
    await gateway.store.uncountRequest(known?.account.id as string, gateway.clock.now);
  }
  const lines = [...headers].filter(([name]) => name !== 'date' && !name.startsWith('ratelimit'));
  return { status, text, json: json<never>, headers: JSON.stringify(lines) };
}

/** The moments at which a view moves on, and the last ones before. */
function momentsOf(world: World): number[] {
  const moves = world.flatMap(({ releasedAt }) => [releasedAt, releasedAt + 24 * HOUR]);
  return [...new Set([DAWN, ...moves.flatMap((moment) => [moment - 1, moment])])].sort((a, b) => a - b);
}

/** Asks all that there is, and holds the answers against the oracle. @returns those that depend on the world alone, by path */
async function walk(gateway: TestGateway, world: World, tier: Tier, now: number): Promise<Map<string, Told>> {
  const seen = visibleTo(world, tier, now);
  const unseen = world.filter((build) => !seen.includes(build)).map(({ word }) => word);
  const answers = new Map<string, Told>();
  for (const probe of probesOf(world, tier, now)) {
    const where = `${tier} at ${new Date(now).toISOString()}: ${probe.path}`;
    const { json, ...told } = await ask(gateway, tier, probe.path);
    checkProbe(where, probe, told, json);
    const asked = unseen.filter((word) => probe.path.includes(word));
    const twin = asked.reduce((path, word) => path.replaceAll(word, NOWHERE), probe.path);
    if (asked.length === 0) checkSilence(where, told, unseen);
    else if (asked.length === 1) await checkTwin(where, gateway, tier, twin, told, asked[0] as string);
    else checkSilence(where, await ask(gateway, tier, twin), unseen);
    if (probe.path !== '/api/me') answers.set(probe.path, told);
  }
  for (const path of nearMisses(world, seen)) {
    checkSilence(`${tier} ${path}`, await ask(gateway, tier, path), unseen);
  }
  return answers;
}

function checkProbe(where: string, { status, told }: Probe, answer: Told, json: () => never): void {
  assert.is(answer.status, status, `${where} answered ${answer.text}`);
  if (status === 200 && told) assert.equal(told.pick(json()), told.expected, where);
}

function checkSilence(where: string, { headers, text }: Told, unseen: readonly string[]): void {
  for (const word of unseen)
    assert.not.ok((headers + text).includes(word), `${where} tells ${word}: ${text}`);
}

/** What is asked for and may not be seen is answered as what never was, but for its name. */
async function checkTwin(
  where: string,
  gateway: TestGateway,
  tier: Tier,
  path: string,
  told: Told,
  word: string,
): Promise<void> {
  const { json: _, ...twin } = await ask(gateway, tier, path);
  const named = { ...twin, text: twin.text.replaceAll(NOWHERE, word) };
  if (twin.status === 200) {
    // A list is there with or without what it was asked for, and its ETag and links tell the address.
    assert.is(told.text, named.text, where);
  } else assert.equal(told, named, where);
}

/** Requests whose nearest valid name is one of the world's, if it is one that may be told. */
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

views('show each tier what it may see at every moment, and nothing of what it may not', async () => {
  await fc.assert(
    fc.asyncProperty(worlds, async (world) => {
      const gateway = await startGateway(filesOf(world), { start: DAWN });
      const answers = new Map<string, { seen: World; tier: Tier; told: Map<string, Told> }>();
      try {
        for (const now of momentsOf(world)) {
          gateway.clock.now = now;
          for (const tier of TIERS) {
            const told = await walk(gateway, world, tier, now);
            const seen = visibleTo(world, tier, now);
            answers.set(`${tier} ${seen.map(({ word }) => word)}`, { seen, tier, told });
          }
        }
        await checkDist(gateway);
      } finally {
        await gateway.stop();
      }
      for (const { seen, tier, told } of answers.values()) await checkAlone(seen, tier, told);
    }),
    { ...runsOf(4), includeErrorInReport: true },
  );
});

/** Answers are to the byte, headers and all, those over a dist/ that has the visible builds alone. */
async function checkAlone(seen: World, tier: Tier, told: ReadonlyMap<string, Told>): Promise<void> {
  const gateway = await startGateway(filesOf(seen), { start: DAWN + 1000 * HOUR });
  try {
    for (const [path, answer] of told) {
      const { json: _, ...alone } = await ask(gateway, tier, path);
      assert.equal(answer, alone, `${tier} ${path}`);
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
