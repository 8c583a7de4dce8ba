import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { FacetRecord, SideFacet } from '../../../../gateway/site/model/facets.ts';
import { hueOf, initialsOf, tileKeysOf, tileOf } from '../../../../gateway/site/model/tile.ts';

const test = suite('the drawn pictures of records');

test('have the initials of a name in its script, and of a card those of who is on it', () => {
  const initials = [
    ...['Raiden Shogun', 'Mavuika', 'Charizard ex', "Jeanne d'Arc", 'Tamamo-no-Mae', 'Beyond the Rain'],
    ...['clumsy trick', 'マーヴィカ', '【Fluorite】有村麻央', '[25時、ナイトコードで。] KAITO', '[100]', '…'],
  ].map(initialsOf);
  assert.equal(initials, ['RS', 'Ma', 'Ch', 'JA', 'TM', 'BR', 'ct', 'マー', '有村', 'KA', '10', '?']);
});

test('are drawn by the group of a record, which is one word, and by its rarity', () => {
  const facet = (id: string, type: FacetRecord['type'], list = false) => ({ id, type, list }) as FacetRecord;
  const facets = [
    facet('affinities', 'string', true),
    facet('limited', 'boolean'),
    facet('season', 'string'),
    facet('sinner', 'string'),
    facet('rarity', 'number'),
  ];
  const side = facets.map(({ id }) => ({ key: id, form: 'choices' }) as SideFacet);
  const keys = tileKeysOf(side, facets);
  assert.equal(keys, { group: 'sinner', rarity: 'rarity' });
  const record = {
    id: '1',
    name: 'Yi Sang',
    affinities: ['Gloom'],
    limited: true,
    sinner: 'Faust',
    rarity: 3,
  };
  assert.equal(tileOf(record, keys), { name: 'Yi Sang', group: 'Faust', rarity: 3 });
  assert.is(tileKeysOf(side.slice(0, 2), facets).group, undefined);
});

test('have the colours that players know of elements', () => {
  const same = (...groups: string[]) => new Set(groups.map(hueOf)).size === 1;
  assert.ok(same('Pyro', 'Fire', 'Fusion'));
  assert.ok(same('Cryo', 'Ice', 'Glacio'));
  assert.ok(same('Anemo', 'Wind', 'Aero'));
  assert.not.ok(same('Spectro', 'Electro'));
  assert.is(hueOf('Guard'), hueOf('Guard'));
});

test.run();
