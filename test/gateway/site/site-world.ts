import type { JsonObject } from '../../../scripts/format/dist-format.ts';
import type { Files } from '../../support/fixtures.ts';
import { NOON, startGateway, type TestGateway } from '../../support/harness.ts';

/** Text that would be markup if a page did not escape it. */
export const HOSTILE = `"'><img src=x onerror=alert(1)><script>alert(2)</script>{{7*7}}`;
/** Words in what a free key does not see: in a build of the last 24 hours, and in one that is not released. */
export const HIDDEN = ['qzpro', 'qzembargo'];

const HOUR_MS = 3_600_000;
/** Names are to have markup. */
const MARKUP = [{ check: 'text-damaged', of: 'characters.name', reason: 'Hostile names.' }];
const MEANING = { description: HOSTILE };

function character(id: string, name: string, atk: number, further: JsonObject = {}): JsonObject {
  return {
    id,
    name,
    element: atk % 2 === 0 ? 'Fire' : 'Ice',
    rank: 3 + (atk % 3),
    stats: { atk },
    ...further,
  };
}

const OLD = [character('c01', 'Old One', 10, { base: { atk: 1 } })];
const CURRENT = [
  character('c01', 'Old One', 12, { base: { atk: 2 } }),
  ...Array.from({ length: 11 }, (_, at) =>
    character(`c${String(at + 2).padStart(2, '0')}`, `Member ${at + 2}.`, 20 + at * 7),
  ),
];

const PRO = character('qzpro', 'Qzpro', 97, { qzpro_key: 'qzpro', name_ko: 'qzpro' });
/** In the build that only Pro sees, a character has another id. */
const RENUMBERED = CURRENT.map((each) => (each.id === 'c02' ? { ...each, id: 'c02qzpro' } : each));

function iso(hours: number): string {
  return new Date(NOON + hours * HOUR_MS).toISOString();
}

/** A game with builds that visitors see, and later ones that they do not; and one whose every text is hostile. */
const WORLD: Files = {
  'saga/game.json': { title: 'Saga' },
  'saga/1.0/build.json': { released_at: '2026-01-01' },
  'saga/1.0/characters.json': OLD,
  'saga/1.0/pull_planner.json': { cost: 160 },
  'saga/1.1/build.json': {
    released_at: '2026-02-01',
    released_in: { kr: '2026-02-03' },
    note: 'qzpro: a note',
  },
  'saga/1.1/characters.json': CURRENT,
  'saga/1.2-qzpro/build.json': { released_at: iso(-12), renamed: { characters: { c02: 'c02qzpro' } } },
  'saga/1.2-qzpro/characters.json': [...RENUMBERED, PRO],
  'saga/1.2-qzpro/qzpro_list.json': [{ id: 'a', name: 'qzpro' }],
  'saga/1.3-qzembargo/build.json': { released_at: iso(48) },
  'saga/1.3-qzembargo/characters.json': [...RENUMBERED, PRO, character('qzembargo', 'Qzembargo', 98)],
  'qzpro-young/game.json': { title: 'Qzpro young' },
  'qzpro-young/1/build.json': { released_at: iso(-2) },
  'qzpro-young/1/characters.json': OLD,
  'qzpro-young/1/pull_planner.json': { cost: 1 },
  'hostile/game.json': {
    title: `Hostile ${HOSTILE}`,
    attributes: {
      characters: {
        id: MEANING,
        name: MEANING,
        free_text: MEANING,
        kind: { label: HOSTILE, description: HOSTILE, values: { [HOSTILE]: { label: HOSTILE } } },
      },
      pull_planner: { cost: MEANING },
    },
  },
  'hostile/1.0/build.json': { released_at: '2026-01-01' },
  'hostile/1.0/characters.json': [{ id: 'a', name: 'Ann', kind: HOSTILE }],
  'hostile/1.0/pull_planner.json': { cost: 1 },
  'hostile/1.1/build.json': { released_at: '2026-03-01', note: HOSTILE, overrides: MARKUP },
  'hostile/1.1/characters.json': [
    { id: 'a', name: `Ann ${HOSTILE}`, kind: HOSTILE },
    { id: 'b', name: HOSTILE, kind: HOSTILE, free_text: HOSTILE },
  ],
};

/** The pages that show these games, at any time. */
export const PATHS = `/ /games /contents /status /status.json /docs /docs/consumers/queries /terms /problems
  /games/saga /games/saga/patches /games/saga/patches/1.0 /games/saga/patches/1.1 /games/saga/explore /games/saga/compare
  /games/saga/characters/c01 /games/hostile/explore /games/hostile /games/hostile/characters/b /games/saga/attributes
  /games/saga/explore?element=Fire&sort=-stats.atk /games/saga/compare?ids=c02,c12 /games/saga/characters/c02
  /games/saga/pull_planner /search?q=member /sitemap.xml /sitemaps/saga.xml /robots.txt /games/hostile/patches
  /games/hostile/patches/1.1 /games/hostile/attributes /games/hostile/compare`.split(/\s+/);

/** Further addresses, which must show no more: a part of a page, and what is near, was renamed, or belongs to a language. */
export const FURTHER =
  `/search?part=suggestions&q=q /search?part=suggestions&q=qz /search?part=suggestions&q=member
  /games/saga/characters/c02qzpr /games/saga/characters/qzpr /games/saga/qzpro_lis /search?q=qzp /games/saga/explore?lang=ko
  /games/saga/explore?qzpro_ke=1 /games/saga/compare?lang=ko&ids=c02qzpr /games/saga/explore/qzpro_lis /games/qzpro-youn
  /games/saga/patches?page=2 /sitemaps/sag.xml /games/saga/patches/1.2-qzpr /sitemaps/qzpro-young.xml /search?q=banners`.split(
    /\s+/,
  );

/** Whether an address is that of a page, and not of a file for programs. */
export const isPage = (path: string) => !/\.(json|xml|txt)$/.test(path);

/** Starts a gateway with these games, at noon. */
export function startSite(hasSite = true): Promise<TestGateway> {
  const pro = { price: '$5 a month', links: [{ name: 'Ko-fi', address: 'https://ko-fi.com/x' }] };
  return startGateway(WORLD, { hasSite, pro });
}

/** Requests a page as a browser does, without a key. */
export async function visit({ address }: Pick<TestGateway, 'address'>, path: string) {
  const response = await fetch(address + path, { headers: { accept: 'text/html,*/*;q=0.8' } });
  return { status: response.status, headers: response.headers, text: await response.text() };
}
