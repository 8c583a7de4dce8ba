import fastGlob from 'fast-glob';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Tier } from '../../../gateway/access/account.ts';
import type { Json } from '../../../scripts/format/dist-format.ts';
import { accountByEmail } from '../../support/accounts.ts';
import type { Files } from '../../support/fixtures.ts';
import { startGateway, type TestGateway } from '../../support/harness.ts';
import { BYSTANDERS } from '../../support/over-time.ts';
import { fc, runsOf, someOf } from '../../support/random.ts';

/** A build, with a word in everything that it adds, and in nothing older. */
interface RawBuild {
  game: string;
  word: string;
  /** In ms since 1970. */
  releasedAt: number;
}

/** All builds of all games; those of one game in the order of their release. */
type World = readonly RawBuild[];

const views = suite('views');
const DELAY_HOURS: Record<Tier, number> = { free: 24, pro: 0 };
const HOUR = 3_600_000;
/** No build is released before this time. */
const DAWN = Date.parse('2026-03-01T00:00:00Z');
/** Headers that differ in every response. */
const VARYING = /^(date|x-request-id|ratelimit.*)$/;

/** Worlds of one to three games, whose builds are released within four days. */
const worlds: fc.Arbitrary<World> = fc
  .array(fc.uniqueArray(fc.integer({ min: 1, max: 96 * 60 }), { minLength: 1, maxLength: 3 }), {
    minLength: 1,
    maxLength: 3,
  })
  .map((games) =>
    games.flatMap((minutes, at) =>
      minutes
        .toSorted((a, b) => a - b)
        .map((minute, index) => ({
          game: `g-${'abc'.charAt(at).repeat(8)}`,
          word: 'abcdefghi'.charAt(3 * at + index).repeat(8),
          releasedAt: DAWN + minute * 60_000,
        })),
    ),
  );

/**
 * The files of a world. Every build changes the character `base`, and adds a character, an attribute and a dataset. The character is
 * removed two builds later; the attribute and the dataset stay.
 */
function filesOf(world: World): Files {
  const files: Files = {};
  const overrides = [
    { check: 'records-lost', of: 'characters', reason: 'A character stays for two builds.' },
  ];
  for (const { game, word, releasedAt } of world) {
    const words = world.flatMap((each) =>
      each.game === game && each.releasedAt <= releasedAt ? each.word : [],
    );
    const attributes = Object.fromEntries(words.map((known) => [`f_${known}`, 1]));
    const base: Json = { id: 'base', name: 'Base', value: word, ...attributes };
    const own = words.slice(-2).map((known) => ({ id: `c-${known}`, name: `Name ${known}` }));
    files[`${game}/game.json`] ??= { title: `Title ${word}` };
    const folder = `${game}/b-${word}`;
    files[`${folder}/build.json`] = {
      released_at: new Date(releasedAt).toISOString(),
      note: `Note ${word}`,
      ...(words.length > 2 && { overrides }),
    };
    files[`${folder}/characters.json`] = [base, ...own, ...BYSTANDERS];
    files[`${folder}/pull_planner.json`] = { currency: word };
    files[`${folder}/ds_${word}.json`] = [{ id: 'r', text: word }];
  }
  return files;
}

/** Every address of every build, visible or not, and requests with misspelt names: an error may suggest only what the caller may see. */
function pathsOf(world: World): string[] {
  const ofGame = table(`characters facets attributes names pull_planner history snapshot/latest
    characters/base history/base characters.csv history/base/series?fields=value`);
  const ofBuild =
    table(`ds_WORD ds_WORD/r ds_WORD/facets characters/c-WORD history/c-WORD compare?ids=base,c-WORD
    characters?f_WORD=1 characters?sort=f_WORD characters?fields=f_WORD snapshot/b-WORD history?build=b-WORD
    diff?from=b-WORD&to=latest diff?from=latest&to=b-WORD`);
  const paths = world.flatMap(({ game, word }) => {
    const names = [word, `${word.slice(0, -1)}z`];
    const inside = names.flatMap((name) => ofBuild.map((path) => path.replaceAll('WORD', name)));
    return [
      ...[...ofGame, ...inside].map((path) => `/api/${game}/${path}`),
      ...names.flatMap((name) => [`/api/search?q=${name}`, `/api/g-${name}/characters`]),
      `/openapi/${game}.json`,
    ];
  });
  return [...new Set(['/api/games', ...paths])].sort();
}

function table(text: string): string[] {
  return text.trim().split(/\s+/);
}

/** Requests every address. @returns the responses by path, without what differs in every response */
async function walk(
  gateway: TestGateway,
  tier: Tier,
  paths: readonly string[],
): Promise<Map<string, string>> {
  const responses = new Map<string, string>();
  for (const path of paths) {
    // These are more requests than a free account may send, and each response says how many are left.
    const known = await accountByEmail(gateway.store, `${tier}@example.org`);
    await gateway.store.run('DELETE FROM quota WHERE name = $1', [known?.account.counted_as ?? '']);
    const { status, headers, text } = await gateway.ask(path, { key: gateway.keys[tier] });
    const lines = [...headers].filter(([name]) => !VARYING.test(name));
    responses.set(path, JSON.stringify([status, lines, text]));
  }
  return responses;
}

/** The moments at which a view changes, and one ms before each; the next day begins at the last. */
function momentsOf(world: World): number[] {
  const moves = world.flatMap(({ releasedAt }) => [releasedAt, releasedAt + 24 * HOUR]);
  const midnight = Math.ceil((Math.max(...moves) + 1) / (24 * HOUR)) * 24 * HOUR;
  const moments = [...moves, midnight].flatMap((moment) => [moment - 1, moment]);
  return [...new Set([DAWN, ...moments])].sort((a, b) => a - b);
}

views('are, to the byte, those of a dist/ that has only what the tier may see', async () => {
  await fc.assert(
    fc.asyncProperty(worlds, fc.nat(), async (world, start) => {
      const paths = pathsOf(world);
      const found: { tier: Tier; now: number; seen: World; responses: Map<string, string> }[] = [];
      const gateway = await startGateway(filesOf(world), { start: DAWN });
      try {
        for (const now of someOf(momentsOf(world), start))
          for (const tier of ['free', 'pro'] as const) {
            gateway.clock.now = now;
            const seen = world.filter((each) => each.releasedAt + DELAY_HOURS[tier] * HOUR <= now);
            found.push({ tier, now, seen, responses: await walk(gateway, tier, paths) });
          }
        await checkDist(gateway);
      } finally {
        await gateway.stop();
      }
      for (const { tier, now, seen, responses } of found) {
        const alone = await startGateway(filesOf(seen), { start: now });
        try {
          const expected = await walk(alone, tier, paths);
          for (const [path, response] of responses)
            assert.is(response, expected.get(path), `${tier} ${path}`);
          for (const { game, word } of seen)
            assert.match(responses.get(`/api/${game}/ds_${word}`) ?? '', `"text\\":\\"${word}`);
        } finally {
          await alone.stop();
        }
      }
    }),
    { ...runsOf(1), includeErrorInReport: true },
  );
});

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
