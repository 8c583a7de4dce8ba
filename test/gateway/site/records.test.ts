import { gzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { MAX_MEMBERS } from '../../../scripts/diff/history.ts';
import { NOON, startGateway, type TestGateway } from '../../support/harness.ts';
import { CHARACTERS, EXPLORED_GAME } from './explored-game.ts';
import { visit } from './site-world.ts';

interface Context {
  gateway: TestGateway;
}

/** Describes all attributes. */
const DESCRIBED = Object.fromEntries(
  ['*', '*.*', '*.*.*', '*.*.*.*'].map((key) => [key, { description: 'An attribute' }]),
);
const MORA = { id: 'm1', name: 'Mora', rarity: 1 };

const test = suite<Context>('pages of records and lists');
test.before(async (context) => {
  context.gateway = await startGateway({
    ...EXPLORED_GAME,
    'saga/1.0/materials.json': [MORA, { id: 'm0', name: 'Gem', rarity: 2 }],
    'saga/1.1/build.json': { released_at: '2026-03-01', renamed: { materials: { m0: 'm2' } } },
    'saga/1.1/materials.json': [MORA, { id: 'm2', name: 'Gem', rarity: 2 }],
  });
});
test.after(({ gateway }) => gateway.stop());

/** The records of a table, by their links. */
function idsIn(text: string): string[] {
  return [...text.matchAll(/<th><a href="\w+\/([^"]+)"/g)].map(([, id = '']) => id);
}

test('each record has a page with its names, and links to what it refers to and what refers to it', async ({
  gateway,
}) => {
  const unit = await visit(gateway, '/games/saga/characters/unit-13');
  assert.is(unit.status, 200);
  for (const text of [
    '<h1>Unit 13</h1>',
    '<dd lang="ja">名前</dd>',
    'href="/games/saga/materials/m1"',
    'href="/games/saga/explore?rarity=4"',
    '<link rel="canonical" href="https://api.example.org/games/saga/characters/unit-13">',
    '<meta property="og:title" content="Unit 13, ',
  ])
    assert.ok(unit.text.includes(text), text);
  const material = await visit(gateway, '/games/saga/materials/m1');
  assert.match(material.text, /Used by/);
  assert.match(material.text, /href="\/games\/saga\/characters\/unit-9"/);
});

test('a record says nothing twice, names what it refers to, and compares only values of the same unit', async () => {
  const amounts = (per: number[], further = {}) => ({ kind: 'damage', per, ...further });
  const effects = [
    amounts([5, 10.25], { label: 'Cut', times: 2, unit: '%', of: 'ATK' }),
    ...[1, 2].map((at) => amounts([at, 3], { label: 'Low/High Hit' })),
    ...['one enemy', 'all enemies'].map((target) => amounts([5, 6], { target })),
    ...[1, 1, 2].map((at) => amounts([at, 3], { stat: 'ATK' })),
  ];
  const numbers = ['Cut', 'Span'].map((label) => ({ label, at: 1 }));
  const cut = { order: 1, unnamed: true, effects, numbers, marks: [] };
  const steps = [{ level: 2, hp: 77, materials: [{ id: 'g', name: 'Gem', count: 3 }] }, { level: 78 }];
  const skills = [
    { name: 'Slash', order: 2, level: 3, levels: 3, effect: 'Raises Cut by 3.', steps },
    { ...cut, name: 'Skill 1', effect: 'Cuts.' },
    { name: 'Dodge', effects: [{ kind: 'other' }], steps },
    { level: 3, raises: [{ kind: 'Cut', levels: 2 }] },
    { name: 'Skill 5', slot: 1, unnamed: true },
  ];
  const gear = [{ id: 'P', level: 1, bonuses: [{ name: 'Hit', value: 0.6 }] }, { id: 'Q' }];
  const art = { name_ja: '技', effect_ja: '攻撃', effect_language: 'ja', effects: 1, sp: [4, 2] };
  const other = { deck: 'initial_deck-1', element: 'Q', rarity: 1, chance: 0.05, bonus: 'Crit' };
  const unit = 'fraction, or points where `bonus` is Luck';
  const [mood, arts] = [
    { label: 'Mood', description: 'Its mood' },
    { description: 'An art', ref: 'arts' },
  ];
  const characters = {
    'stats.bonus': { description: 'Its value', unit },
    element: { ...mood, ref: 'arts' },
    word: mood,
    'stats.regen': { description: 'Its time', unit: 'points per second', better: 'lower' },
    chance: { description: 'Its chance', kind: 'percentage', unit: 'fraction' },
    talent: arts,
    'training.id': { description: 'Its step', kind: 'id' },
    'gear.id': arts,
    'gear.bonuses.value': { description: 'Its value', kind: 'percentage', unit: 'fraction' },
    rarity: { description: 'As it is written', values: { 1: '0', 2: '00' } },
  };
  const gateway = await startGateway({
    'tale/game.json': { title: 'Tale', attributes: { '*': DESCRIBED, characters } },
    'tale/1/build.json': { released_at: '2026-01-01' },
    'tale/1/characters.json': [
      {
        id: 'a',
        name: 'Ann',
        skills,
        outfits: [{ id: 'o', name: 'Robe' }],
        passive: { name: 'Nap', effect: 'Naps.' },
        effects: [{ kind: 'buff', skills: ['Slash'] }],
        growth: { hp: 7 },
        levels: [{ level: 1, hp: 8 }],
        element: 'P',
        word: 'Peace',
        talent: 'Q',
        effect: 'Cuts deep.',
        effect_name: 'Edge',
        rarity: 1,
        bonus: 'Luck',
        chance: 0.05,
        gear,
        training: { id: 'p_step-1' },
        choice: 'Regen, points per second',
        choice_value: 3,
        stats: { bonus: 115.2, regen: 1.2 },
      },
      { ...other, id: 'b', name: 'Bob', stats: { bonus: 0.99995, regen: 1.5 } },
      { ...other, id: 'c', name: 'Cem', rarity: 2, chance: 0.1, stats: { bonus: 0.288, regen: 1.2 } },
    ],
    'tale/1/arts.json': ['Peace', 'Quarrel'].map((n) => ({ ...art, id: n.slice(0, 1), name: n, effect: n })),
    'tale/1/tricks.json': [{ id: 't', name: 'Trick', effects: [{ kind: 'other' }, { kind: 'buff' }] }],
    'tale/1/pull_rates.json': [{ id: 'pack_1:special_r', item: 'eventReward', drops: [22.82819] }],
    'tale/1/pull_planner.json': { cost: 1 },
  });
  const rate = (await visit(gateway, '/games/tale/pull_rates/pack_1:special_r')).text;
  for (const shown of ['<h1>Pack 1 · Special R<', '>Event reward<', '>22.83<']) assert.match(rate, shown);
  const { text } = await visit(gateway, '/games/tale/characters/a');
  const textOf = (html = '') => html.replace(/(<[^>]+>|\s)+/g, ' ').trim();
  const heads = [...text.matchAll(/<summary><b>(.*?)<\/summary>/g)].map(([, head]) => textOf(head));
  const skilled = [
    'Edge Cuts deep.',
    'Slash Level 3 Raises Cut by 3.',
    'Skill 1 Cuts.',
    'Quarrel SP 4–2 Quarrel',
    'Nap Naps.',
  ];
  assert.equal(heads, skilled);
  for (const shown of ['>Luck</dt><dd>+115.2<', '>Regen, points per second</dt><dd>1.2<', 'skill">Dodge</p>'])
    assert.ok(text.includes(shown), shown);
  assert.is(
    textOf(/>Profile<.*?<dl.*?<\/dl>/s.exec(text)?.[0]),
    '>Profile Choice value 3 Kind Buff',
    'the chip says the mood',
  );
  assert.not.match(text, />Growth<|>Training<|Skill 5|\+3|<dt>Mood/);
  assert.not.match(
    (await visit(gateway, '/games/tale/tricks/t')).text,
    /another effect|Gives a buff|>Other</,
  );
  const game = (await visit(gateway, '/games/tale')).text;
  for (const shown of ['element=Q">Quarrel <small>2<', /r1 lar.*Ann<small>Peace</, 'rarity=1">0 <small>2<'])
    assert.match(game, shown);
  assert.match(text, /Robe.*<td>Hit 60%|<td>Hit 60%.*Robe/s);
  assert.match(text, />Art<.*>Peace<.*>Quarrel<\/a><td>–<td>–</s);
  assert.match((await visit(gateway, '/games/tale/explore')).text, />5%( <small>2<| \(2\))/);
  const rows = /<tr><th>Cut .*?<\/tbody>/.exec(text)?.[0].split('<tr>').slice(1).map(textOf);
  const told = 'damage (one enemy) 5 6, damage (all enemies) 5 6, ATK (1) × 2 1 3, ATK (2) 2 3';
  assert.is(rows?.join(', '), `Cut % of ATK × 2 5 10.3, Low Hit 1 3, High Hit 2 3, ${told}`);
  assert.match(text, /<b>Skill 3<\/b> <span[^>]*>Cut \+2</);
  assert.match(text, /<tr><td>1<td>Span<\/tbody>/);
  assert.not.match(text, /another effect|Marks|>7[78]/);
  assert.is(text.split('Gem × 3').length, 2, 'equal steps of costs are shown once');
  assert.match(text, '<select name="talents"><option value="1">1<option value="2" selected>2</select>');
  assert.match((await visit(gateway, '/games/tale/characters/a?talents=9')).text, 'at most 2 for Skills.<');
  assert.match((await visit(gateway, '/games/tale/characters/c')).text, 'No costs in the data: Skills');
  const bestOf = async (ids: string) =>
    /class="best"><b>(.*?)</.exec((await visit(gateway, `/games/tale/compare?ids=${ids}`)).text)?.[1];
  assert.equal([await bestOf('a,b'), await bestOf('b,c')], [undefined, '99.995%']);
  assert.not.match((await visit(gateway, '/games/tale/compare')).text, 'initial_deck');
});

test('the total costs are those of the levels that a reader chooses', async ({ gateway }) => {
  for (const [query, total] of [
    ['', /Mora<small><b>3</],
    ['?from=20&to=40', /Mora<small><b>3</],
    ['?to=41', /role="alert">&quot;to&quot; is &quot;41&quot;, expected a whole number from 1 to 40\./],
    ['?from=21&utm_source=chat', /Nothing\./],
    ['?from=+', /<b>Ascension to level 40<\/b>.*Mora<small><b>3</s],
    ['?from=x', /&quot;From level&quot; is &quot;x&quot;, expected a whole number from 1 to 40\./],
    ['?from=30&to=10', /&quot;From level&quot; must be at most &quot;to&quot;\..*Mora<small><b>3</s],
    ['?talents=1,+1', /&quot;Skill levels&quot; is 1,1, expected at most one for each skill, so 0\./],
    ['?talents=1+1', /&quot;Skill levels&quot; is &quot;1 1&quot;, expected a whole number/],
  ] as const) {
    const { status, text } = await visit(gateway, `/games/saga/characters/unit-13${query}`);
    assert.equal([status, total.test(text)], [200, true], query);
    assert.match(text, /<input name="to"/);
    assert.not.match(text, /name="talents"/);
  }
});

test('a record that does not exist is a 404 with what is near; an earlier id leads to the record', async ({
  gateway,
}) => {
  const near = await visit(gateway, '/games/saga/characters/unit_13');
  assert.is(near.status, 404);
  assert.match(near.text, /href="\/games\/saga\/characters\/unit-13"/);
  assert.match(near.text, /href="\/games\/saga\/explore">Characters/);
  for (const [path, status, location] of [
    ['/games/saga/materials/m0', 301, '/games/saga/materials/m2'],
    ['/games/SAGA/explore?q=a', 308, '/games/saga/explore?q=a'],
    ['/games/saga/?q=a', 308, '/games/saga?q=a'],
  ] as const) {
    const moved = await fetch(gateway.address + path, { redirect: 'manual' });
    assert.equal([moved.status, moved.headers.get('location')], [status, location]);
  }
});

test('a game or list that does not exist is a 404 with those that are near', async ({ gateway }) => {
  const linked = async (path: string) => {
    const { status, text } = await visit(gateway, path);
    assert.is(status, 404);
    const [, main = ''] = /<main.*?<h1(.*)<\/main>/s.exec(text) ?? [];
    return [...main.matchAll(/href="(\/games\/[^"]+)"/g)].map(([, href]) => href);
  };
  assert.equal(await linked('/games/sga'), ['/games/saga']);
  assert.equal(await linked('/games/Tests'), ['/games/saga'], 'a word of its title');
  assert.equal(await linked('/games/unlike-anything'), []);
  const lists = ['', '/explore', '/items', '/materials', '/weapons'].map((path) => `/games/saga${path}`);
  assert.equal(await linked('/games/saga/wepons'), lists);
});

test('a list without a script shows what the API responds to the same query', async ({ gateway }) => {
  const further = ['stats.atk[gte]=150&offset=2', 'q=名前', 'q=unnit+13', 'ids=unit-3,unit-1'];
  for (const query of ['', 'element=fire&sort=-stats.atk', ...further]) {
    const api = await gateway.ask(`/api/saga/characters?${query}`, { key: gateway.keys.free });
    const { text } = await visit(gateway, `/games/saga/explore?${query}&utm_source=chat&stats.hp[lte]=`);
    assert.is(text.includes('>Clear all filters<'), query !== '', query);
    assert.equal(
      idsIn(text),
      api.json<{ characters: { id: string }[] }>().characters.map(({ id }) => id),
      query,
    );
  }
  const { text } = await visit(gateway, '/games/saga/explore?limit=5&fields=stats.hp');
  assert.match(text, /rel="next nofollow" data-swap href="\?fields=stats.hp&amp;limit=5&amp;offset=5"/);
  const unknown = (await visit(gateway, '/games/saga/explore?elemnt=fire')).text;
  assert.match(unknown, /Error 400.* no filter &quot;elemnt&quot;.*href="\/games\/saga\/explore">All/s);
  const narrowed = (await visit(gateway, '/games/saga/explore?element=fire')).text;
  assert.match(narrowed, /"ice">Ice <small>5<.*"3">3 ★ <small>4<.*"4" disabled>4 ★ <small>0</s);
  assert.match(
    (await visit(gateway, '/games/saga/explore?fields=weapon')).text,
    /href="weapons\/sword">Sword of Unit 9</,
  );
});

test('home and a game begin with what is new: banners that count down, characters, the last real patch', async () => {
  const day = (at: number) => new Date(NOON + at * 86_400_000).toISOString();
  const banner = (id: string, start: number, end: number) => ({
    id,
    name: `Banner ${id}`,
    start: day(start),
    end: day(end),
    featured: [{ id: 'a', name: 'Ann' }],
    featured_weapons: [{ id: 'w', name: 'Axe' }],
  });
  const late = [banner('b1', -30, -9), banner('b2', -3, 4), banner('b3', 5, 20)];
  const { end: _, ...open } = banner('b4', -2, 0);
  const today = { ...banner('b5', -2, 0), end: day(0).slice(0, 10), featured: [] };
  const early = Array.from({ length: 1000 }, (_, at) => ({ ...banner(`e${at}`, -99, -90), featured: [] }));
  const first = { ...banner('b0', -900, -890), featured: [{ id: 'b', name: 'Bob' }] };
  const roster = ['Ann', 'Bob', 'Cem'].map((name) => ({ id: (name[0] ?? '').toLowerCase(), name }));
  // With Cem, more than a page of the history has.
  const others = Array.from({ length: MAX_MEMBERS }, (_, at) => ({ id: `u${at}`, name: `Unit ${at}` }));
  const gateway = await startGateway({
    'tale/game.json': {
      title: 'Tale',
      attributes: {
        '*': DESCRIBED,
        banners: {
          'featured.id': { description: 'Who', ref: 'characters' },
          'featured_weapons.id': { description: 'What', ref: 'weapons' },
        },
      },
    },
    'tale/1/build.json': { released_at: '2026-01-01' },
    'tale/1/characters.json': roster.slice(0, 2),
    'tale/1/weapons.json': [{ id: 'w', name: 'Axe' }],
    'tale/1/banners.json': [first, ...early, ...late, open, today],
    'tale/1/events.json': [{ id: '10104', start: day(-3), end: day(4) }],
    'tale/1/pull_planner.json': { cost: 1, banners: [{ name: 'Event', exchange: { after_pulls: 200 } }] },
    'tale/2/build.json': { released_at: '2026-02-01' },
    'tale/2/characters.json': [...roster, ...others],
    'tale/2/weapons.json': ['w', 'x', 'y'].map((id) => ({ id, name: id === 'w' ? 'Axe' : 'Bow' })),
    'tale/20260301000000/build.json': { released_at: '2026-03-01' },
    'late/game.json': { title: 'Late', attributes: { '*': DESCRIBED } },
    'late/1/build.json': { released_at: '2026-04-01', as_of: { characters: '2020-01-01' } },
    'late/1/characters.json': [...'AABB'].map((unit, at) => ({ id: `${at}`, name: `${at} ${unit}`, unit })),
    'late/1/banners.json': [{ id: 'x', name: 'Gone', start: day(-60), end: day(-50) }],
    'late/1/pull_planner.json': { cost: 1 },
  });
  for (const path of ['/', '/games/tale', '/games/tale/banners', '/games/tale/characters/a']) {
    const { text } = await visit(gateway, path);
    assert.match(text, /Banner b2[\s\S]*4 days left/, path);
    assert.match(text, /Banner b3[\s\S]*in 5 days/, path);
    assert.not.match(text, /10104/, `${path}: an event without a name`);
  }
  for (const path of ['/', '/games/tale'])
    assert.match((await visit(gateway, path)).text, /<b>2<\/b>.*New: Cem/s);
  assert.match(
    (await visit(gateway, '/games/tale')).text,
    /Cem<.*Unit 1<.*Pulls on this banner.*>Banner b4</s,
  );
  const { text: game } = await visit(gateway, '/games/late');
  assert.match(game, /<b class="tile hue-\d large".*?>A<\/b><span>A<small>0 (?!.*pull_planner)/s);
  assert.match(
    (await visit(gateway, '/')).text,
    /Gone<.*ended .*not known yet<.*tale\/patches\/2".*late\/patches\/1".*games\/tale".*games\/late"/s,
  );
  assert.not.match((await visit(gateway, '/games/tale/patches')).text, 'patches/20260301');
  const patch = (await visit(gateway, '/games/tale/patches/2')).text;
  assert.match(patch, /Bow<small> × 2<(?!.*Bow).*Next: 1 Mar 2026</s);
  assert.match((await visit(gateway, '/games/tale/characters/a')).text, /4 runs<.*b4.*Earlier runs.*b1/s);
  assert.match((await visit(gateway, '/games/tale/characters/b')).text, /Rate-ups <small>1 run</);
  const lastOne = await visit(gateway, `/games/tale/characters/u${MAX_MEMBERS - 1}`);
  assert.match(lastOne.text, 'Changed in 1 patch<');
  const { text } = await visit(gateway, '/games/tale/banners');
  // A day ends with its last second.
  assert.match(text, /Banner b5<.{0,99}1\d h left.*Banner b4<.{0,50}>from [^<]+, end not known</s);
  assert.match(
    text,
    /characters\/a"[\s\S]*?Ann[\s\S]*?weapons\/w"[\s\S]*?Axe/,
    'weapons come after characters',
  );
  const [, runs = ''] = /Last runs, the longest wait first(.*?)<\/details>/s.exec(text) ?? [];
  assert.equal([/Ann/.test(runs), /Axe/.test(runs)], [true, false]);
  gateway.clock.now += 86_400_000;
  assert.match((await visit(gateway, '/games/tale/characters/a')).text, /Banner b2[\s\S]*3 days left/);
});

test('the search finds names in any language with typing mistakes, and the comparison shows the asked units', async ({
  gateway,
}) => {
  for (const q of [
    '名前',
    'unnit 13',
    'unit 13 weapons',
    'unit 13 weap',
    'unit 13 qqqqq',
    'unit 13 materialss',
  ])
    assert.match(
      (await visit(gateway, `/search?q=${q}`)).text,
      /href="\/games\/saga\/characters\/unit-13"/,
      q,
    );
  const found = await visit(gateway, '/search?q=名前');
  assert.match(found.text, /called 名前/, 'why it was found');
  assert.match((await visit(gateway, '/search?q=unit 13 costs')).text, 'characters/unit-13#totals"');
  assert.match((await visit(gateway, '/search?q=saga pity')).text, /href="\/games\/saga\/pull_planner"/);
  const first = async (q: string) => {
    const { text } = await visit(gateway, `/search?part=suggestions&q=${q}`);
    return /<a href="([^"]*)">.*?<small>(\w*)/.exec(text)?.slice(1);
  };
  assert.equal(await first('saga patch'), ['/games/saga/patches', 'Patches']);
  assert.equal(await first('saga unit 13'), ['/games/saga', 'Game']);
  assert.equal(await first('unit 13'), ['/games/saga/characters/unit-13', 'Character']);
  const compared = await visit(gateway, '/games/saga/compare?ids=unit-13&ids=unit-9');
  for (const name of ['Unit 13', 'Unit 9'])
    assert.ok(compared.text.includes(`<span>${name}</span></a>`), name);
  assert.not.match(compared.text, /<span>Unit 1<\/span>/);
  assert.match(compared.text, /<td>Sword of Unit 9</, 'a reference has its name');
  const many = ['gone', ...[3, 4, 5, 6, 7, 8, 9].map((at) => `unit-${at}`)].join();
  const most = (await visit(gateway, `/games/saga/compare?ids=${many}`)).text;
  assert.match(most, 'There is no character &quot;gone&quot;. Only the first 6 of your choice are compared.');
  assert.not.match(most, '<span>Unit 9</span>');
  const alone = (await visit(gateway, '/games/saga/compare?ids=unit-13')).text;
  assert.match(alone.slice(0, alone.indexOf('Everything else')), />ATK</);
});

test('pictures are shown to those who agree, to all or to nobody, and the policy follows', async () => {
  const weapon = { description: 'What it carries', ref: 'weapons' };
  const image = (host: string) => `https://${host}/a.png`;
  const attributes = {
    '*': { '*': { description: 'An attribute' } },
    characters: { 'art.icon': { description: 'The icon', kind: 'image' }, weapon },
  };
  const images = { hosts: ['img.example.org'], credit: '© Makers', terms: 'https://example.org/terms' };
  const files = {
    'saga/game.json': { title: 'Saga', attributes, images },
    'saga/1/build.json': {
      released_at: '2026-01-01',
      overrides: [
        { check: 'attribute-unexpected', of: 'characters.art.icon', reason: 'Hosts that are refused.' },
      ],
    },
    'saga/1/characters.json': [
      { id: 'a', name: 'Ann', weapon: 'w', art: { icon: image('img.example.org') } },
      { id: 'c', name: 'Cem', art: { icon: 'https://img.example.org:8443/a.png' } },
    ],
    'saga/1/weapons.json': [{ id: 'w', name: 'Axe' }],
    'saga/1/pull_planner.json': { cost: 1 },
  };
  const paths = ['/games/saga/explore', '/games/saga/characters/a', '/games/saga/weapons/w', '/search?q=ann'];
  for (const mode of ['ask', 'on', 'off'] as const) {
    const gateway = await startGateway(files, { images: mode });
    for (const path of paths) {
      const { text, headers } = await visit(gateway, path);
      const policy = headers.get('content-security-policy') ?? '';
      const shown = /<img src="https:\/\/img\.example\.org\/a\.png" alt="" loading="lazy" referrerpolicy/;
      assert.is(shown.test(text), mode === 'on', path);
      // What all addresses of a table begin with is written once.
      const asked =
        /(data-pictures="https:\/\/img\.example\.org\/a\.png"[\s\S]*)?data-picture="(https:\/\/img\.example\.org\/a\.png)?"/;
      assert.is(asked.test(text), mode === 'ask', path);
      assert.is(/Show pictures from img\.example\.org/.test(text), mode === 'ask', path);
      assert.is(/img-src 'self' https:\/\/img\.example\.org;/.test(policy), mode !== 'off', path);
      assert.not.match(text, /(src|picture)="[^"]*8443/, path);
      if (mode !== 'off' && !path.startsWith('/search')) assert.match(text, /© Makers/, path);
    }
    const suggested = await visit(gateway, '/search?part=suggestions&q=ann');
    assert.match(suggested.text, /class="tile/);
    assert.not.match(suggested.text, /<img|data-picture/, 'any page may show them');
  }
});

test('the sitemap has all records and lists, and crawlers leave filtered lists alone', async ({
  gateway,
}) => {
  const index = await visit(gateway, '/sitemap.xml');
  const [, part = ''] = /<loc>https:\/\/api\.example\.org([^<]+)</.exec(index.text) ?? [];
  const addresses = [
    ...(await visit(gateway, part)).text.matchAll(/<loc>https:\/\/api\.example\.org([^<]+)</g),
  ].map(([, address = '']) => address);
  assert.is(addresses.filter((address) => /\/characters\/unit-/.test(address)).length, CHARACTERS);
  assert.ok(addresses.includes('/games/saga/weapons/sword') && addresses.includes('/docs/consumers/queries'));
  const robots = await visit(gateway, '/robots.txt');
  assert.match(robots.text, /Disallow: \/\*\?\n[\s\S]*Sitemap: https:\/\/api\.example\.org\/sitemap\.xml/);
});

test('no link of the site leads nowhere', async ({ gateway }) => {
  const from = new Map([['/', 'the address of the gateway']]);
  // Pages of another part, which this gateway does not have.
  const others = new Set(['/account', '/signup']);
  const missing: string[] = [];
  // A map takes what is added while it is read.
  for (const [address, page] of from) {
    const { status, text } = await visit(gateway, address);
    if (status >= 400) missing.push(`${address} on ${page}: ${status}`);
    for (const [, href = ''] of text.matchAll(/<a [^>]*href="(\/[^"#?]*)["#?]/g))
      if (!from.has(href) && !others.has(href)) from.set(href, address);
  }
  assert.ok(from.size > 50, `${from.size} pages`);
  assert.equal(missing, []);
});

test('a table of 120 records has at most 60 KB, and a record at most 30 KB compressed', async () => {
  const units = Array.from({ length: 120 }, (_, at) => ({
    id: `a-unit-${at}`,
    name: `A unit with a name ${at}`,
    rarity: 3 + (at % 3),
    element: ['Electro', 'Hydro', 'Pyro'][at % 3] ?? '',
    weapon: ['Polearm', 'Claymore'][at % 2] ?? '',
    gender: at % 2 === 0 ? 'Female' : 'Male',
    stats: { hp: 10_000 + at * 7, atk: 300 + at, def: 700 + at, crit_rate: at },
    skills: Array.from({ length: 20 }, (_, nr) => ({
      name: `Skill ${nr} of ${at}`,
      effect: 'It hits. '.repeat(30),
    })),
  }));
  const gateway = await startGateway({
    'tale/game.json': { title: 'Tale', attributes: { '*': DESCRIBED } },
    'tale/1/build.json': { released_at: '2026-01-01' },
    'tale/1/characters.json': units,
    'tale/1/pull_planner.json': { cost: 1 },
  });
  const table = await visit(gateway, '/games/tale/explore?limit=120');
  assert.is(idsIn(table.text).length, 120);
  assert.ok(Buffer.byteLength(table.text) <= 60 * 1024, `${table.text.length} characters`);
  const { text } = await visit(gateway, '/games/tale/characters/a-unit-1');
  assert.ok(gzipSync(text).length <= 30 * 1024, `the record has ${gzipSync(text).length} bytes`);
});

test('a network that opens too many pages of records is refused with a page', async () => {
  const gateway = await startGateway(EXPLORED_GAME, { pagesInMinute: 2 });
  for (const offset of [1, 2])
    assert.is((await visit(gateway, `/games/saga/explore?offset=${offset}`)).status, 200);
  const refused = await visit(gateway, '/games/saga/explore?offset=3');
  assert.is(refused.status, 429);
  assert.match(refused.text, /more can be opened in \d+ s/);
  assert.is((await visit(gateway, '/games/saga')).status, 200);
});

test.run();
