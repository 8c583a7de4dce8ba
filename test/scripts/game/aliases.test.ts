import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { aliasesIn, findUnknownAliases } from '../../../scripts/compile/game.ts';
import type { Finding } from '../../../scripts/findings.ts';
import type { BuildContent } from '../../../scripts/format/build-content.ts';
import type { GameSource } from '../../../scripts/read/game.ts';

const aliases = suite('aliases of a build');

const content = {
  build: '6.4',
  characters: ['{"id":"10000052","name":"Raiden Shogun"}', '{"id":"10000046","name":"Hu Tao"}'],
  datasets: new Map([['weapons', { kind: 'list', records: ['{"id":"w1","name":"Sword"}'] }]]),
} as unknown as BuildContent;

const ALL = { characters: { '10000052': ['ei'], '10000099': ['later'] }, weapons: { w2: ['blade'] } };

aliases('only those of records that the build has are written', () => {
  assert.equal(aliasesIn(content, ALL), { characters: { '10000052': ['ei'] } });
  assert.equal(aliasesIn(content, {}), {});
});

aliases('an unknown id is a finding with the nearest one', () => {
  const game = { folder: 'data/genshin-impact', aliases: ALL } as unknown as GameSource;
  const found = findUnknownAliases(game, content);
  assert.equal(
    found.map(({ severity, place, fix }: Finding) => [severity, place.pointer, fix]),
    [
      ['warning', '/characters/10000099', 'did you mean "10000052"? Otherwise remove it'],
      ['warning', '/weapons/w2', 'did you mean "w1"? Otherwise remove it'],
    ],
  );
});

aliases.run();
