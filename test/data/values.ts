import { readFile } from 'node:fs/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isObject, type Json, type JsonObject } from '../../scripts/format/dist-format.ts';
import { parseJson } from '../../scripts/read/json.ts';
import { type ParsedBuild, parsePlan } from '../support/fixtures.ts';
import { DATA } from '../support/paths.ts';
import { compileShipped } from './compile-shipped.ts';

const test = suite('values of shipped games');

/** Words that players type, and the record that they mean. */
const ALIASES: readonly (readonly [game: string, word: string, id: string])[] = [
  ['arknights', 'texas alter', 'char_1028_texas2'],
  ['arknights-endfield', 'endmin', 'endministrator'],
  ['fate-grand-order-jp', 'castoria', '504500'],
  ['fate-grand-order-jp', 'キャストリア', '504500'],
  ['honkai-star-rail', 'dan heng il', '1213'],
  ['nikke', 'rrh', 'rapi-red-hood'],
  ['zenless-zone-zero', 'ミヤビ', '1091'],
];

/** Values that were wrong once, or are of a kind that was. `undefined` is "never", or "not known". */
const VALUES: readonly (readonly [
  game: string,
  collection: string,
  id: string,
  attribute: string,
  expected: unknown,
])[] = [
  ['arknights', 'banners', 'RETURN_EN_41_0_1', 'end', undefined],
  [
    'arknights',
    'characters',
    'char_4026_vulpis',
    'phases.1.materials.0',
    { id: '3211', name: 'Vanguard Chip', count: 5 },
  ],
  ['arknights', 'skills', 'skchr_surtr_3', 'effects.1', { kind: 'buff', stat: 'Max HP', value: 5000 }],
  ['arknights', 'skills', 'skchr_aosta_2', 'effects.1.stat', 'Bind'],
  ['arknights-endfield', 'banners', 'b5', 'featured', [{ id: 'arcane', name: 'Arcane' }]],
  ['arknights-endfield', 'characters', 'ardelia', 'last_banner', '2026-05-14'],
  ['arknights-endfield', 'characters', 'catcher', 'skills.2.effects.3.per.11', 810],
  ['fate-grand-order', 'events', '71102', 'end', undefined],
  ['fate-grand-order', 'items', '1', 'end', undefined],
  ['fate-grand-order', 'items', '1', 'start', undefined],
  ['fate-grand-order-jp', 'characters', '100100', 'skills.3.name', 'Skill 1 (strengthened)'],
  ['fate-grand-order-jp', 'characters', '100100', 'skills.3.unnamed', true],
  ['fate-grand-order-jp', 'characters', '1000700', 'short_name_ja', '魔神・沖田総司'],
  ['fate-grand-order-jp', 'pull_planner', '', 'banners.0.worst_case_pulls.featured', 330],
  ['fate-grand-order-jp', 'pull_planner', '', 'currency.bonus_pulls', 1],
  ['fate-grand-order-jp', 'noble_phantasms', '201002', 'effects.2.per.4', 60],
  ['fate-grand-order-jp', 'skills', '3550', 'effect_language', 'ja'],
  ['fate-grand-order-jp', 'skills', '663350', 'effects.1.stat', 'Death Resist'],
  ['genshin-impact', 'banners', '1.0-1', 'start', '2020-09-27T16:00:00.000Z'],
  ['genshin-impact', 'banners', '6.3-1', 'precision', 'day'],
  ['genshin-impact', 'banners', '6.7-1', 'featured.0.name', 'Sandrone'],
  ['genshin-impact', 'banners', '6.7-2-weapon', 'featured_weapons.0.name', "Nocturne's Curtain Call"],
  ['genshin-impact', 'characters', '10000022', 'banner_runs', 7],
  ['genshin-impact', 'characters', '10000052', 'last_banner', '2026-07-21T00:00:00.000Z'],
  ['genshin-impact', 'characters', '10000046', 'skills.1.effects.1.stat', 'ATK'],
  ['genshin-impact', 'characters', '10000046', 'skills.1.effects.1.of', 'Max HP'],
  ['genshin-impact', 'outfits', '202101', 'name_fr', '#Éclaireuse 100 %'],
  ['honkai-star-rail', 'banners', '2003', 'featured.0', { id: '1102', name: 'Seele' }],
  ['honkai-star-rail', 'banners', '2026-08-05-23048', 'featured', []],
  ['honkai-star-rail', 'skills', '8003002', 'effects.0.stat', 'DMG taken'],
  ['limbus-company', 'characters', '10613', 'tags', ['H Corp.', 'Jia Family']],
  [
    'limbus-company',
    'statuses',
    'ReinforcedTattooSpider',
    'name',
    'The Middle - Vengeance Tattoo [Great Brother]',
  ],
  ['nikke', 'characters', '2b', 'stats.hp', 16500],
  ['nikke', 'characters', '2b', 'skills.1.effects.0.per.9', 167.45],
  ['pokemon-tcg-pocket', 'characters', 'A1-36', 'stats.hp', 180],
  [
    'pokemon-tcg-pocket',
    'characters',
    'A1-36',
    'attacks.1.effects',
    [{ kind: 'damage', target: 'opponent', value: 200 }],
  ],
  ['pokemon-tcg-pocket', 'characters', 'A3a-47', 'attacks.0.effects.0.condition', 'for each'],
  ['pokemon-tcg-pocket', 'characters', 'B2a-130', 'stats', undefined],
  ['princess-connect', 'characters', '100101', 'start', undefined],
  ['princess-connect', 'characters', '100201', 'effects.0', { kind: 'heal', skills: ['1002001', '1002011'] }],
  ['princess-connect', 'characters', '110201', 'stats', undefined],
  ['princess-connect', 'items', '31000', 'start', undefined],
  ['nikke', 'characters', 'asuka-wille', 'skills.0.effects.2.stat', 'DMG taken'],
  ['pokemon-tcg-pocket', 'attacks', 'A2-89-1', 'damage', 130],
  ['princess-connect', 'pull_planner', '', 'banners.0.exchange.after_pulls', 300],
  ['princess-connect-jp', 'skills', '1027011', 'actions.2.direction', 'up'],
  ['princess-connect-jp', 'characters', '100101', 'start', undefined],
  ['wuthering-waves', 'characters', '4', 'name', 'Rover: Spectro'],
  ['wuthering-waves', 'characters', '5', 'element', 'Havoc'],
  ['wuthering-waves', 'characters', '1406', 'stats.hp', 10775],
  ['zenless-zone-zero', 'banners', '2026-07-08-1571', 'featured.0.name', 'Norma'],
  ['zenless-zone-zero', 'weapons', '14105', 'name_es', 'Cuna del kraken'],
];

/** What no text of a record may have: tags of engines, wordings of Unity, characters by name. */
const MARKUP =
  /<\/?(?:color|size|i|b|s|u|sprite|style)\b[^>]*>|\{[FM]#|\{NON_BREAK_SPACE\}|&(?:#\d+|[a-z]+);/i;

/** The newest build of a shipped game. */
async function readNewest(slug: string): Promise<ParsedBuild> {
  const { value } = await compileShipped(slug);
  const newest = value && parsePlan(value).at(-1);
  assert.ok(newest, slug);
  return newest;
}

for (const slug of [
  'arknights',
  'arknights-endfield',
  'fate-grand-order',
  'fate-grand-order-jp',
  'genshin-impact',
  'honkai-star-rail',
  'nikke',
  'wuthering-waves',
  'zenless-zone-zero',
])
  test(`${slug}: each nickname is of a record of the newest build`, async () => {
    const { roster } = await readNewest(slug);
    const parsed = parseJson(await readFile(`${DATA}/${slug}/aliases.json`, 'utf8'), 'aliases.json');
    assert.ok('value' in parsed && isObject(parsed.value));
    const { characters } = parsed.value as { characters: Record<string, string[]> };
    const ids = new Set(roster.map(({ id }) => id));
    assert.equal(
      Object.keys(characters).filter((id) => !ids.has(id)),
      [],
    );
    for (const [, word, id] of ALIASES.filter(([game]) => game === slug))
      assert.ok(characters[id]?.includes(word), `${word} of ${id}`);
  });

for (const slug of new Set(VALUES.map(([game]) => game)))
  test(`${slug}: values are those of the game`, async () => {
    const { characters, datasets } = await readNewest(slug);
    for (const [, collection, id, attribute, expected] of VALUES.filter(([game]) => game === slug)) {
      const found: Json | undefined = collection === 'characters' ? characters : datasets[collection];
      const record = id === '' ? found : (found as JsonObject[]).find((each) => each.id === id);
      assert.ok(record, `${collection} ${id}`);
      const value = attribute
        .split('.')
        .reduce<unknown>((at, step) => (at as Record<string, unknown> | undefined)?.[step], record);
      assert.equal(value, expected, `${collection} ${id} ${attribute}`);
    }
  });

for (const slug of new Set(VALUES.map(([game]) => game)))
  test(`${slug}: names have no markup, and no time is a placeholder`, async () => {
    const { characters, datasets } = await readNewest(slug);
    const found: string[] = [];
    const visit = (value: unknown, at: string): void => {
      if (typeof value === 'string') {
        const name = at.slice(at.lastIndexOf('.') + 1);
        if (/^(name|title|tags)/.test(name) && MARKUP.test(value)) found.push(`${at} ${value}`);
        if (/^(start|end|released_at|announced|close|finish)$/.test(name) && /^(19|200|203|209)/.test(value))
          found.push(`${at} ${value}`);
      } else if (Array.isArray(value)) for (const each of value) visit(each, at);
      else if (value !== null && typeof value === 'object')
        for (const [name, each] of Object.entries(value)) visit(each, `${at}.${name}`);
    };
    visit({ characters, ...datasets }, slug);
    assert.equal(found, []);
  });

test.run();
