import { suite } from 'uvu';
import { canonicalise } from '../../../scripts/compile/compile-build.ts';
import type { BuildContent } from '../../../scripts/format/build-content.ts';
import { compareNatural, type Json, type JsonObject } from '../../../scripts/format/dist-format.ts';
import { fc, runsOf } from '../../support/random.ts';
import { contentOf } from './contents.ts';
import { checkPair } from './invariants.ts';

const test = suite('diffs of random builds');

// Few names and values, so that two random values have much in common.
const id = fc.constantFrom('u-1', 'u-2', 'u-10', 'a/b', 'm~n', '7', '"');
const key = fc.constantFrom('a', 'b', '0', '12', 'x/y', '~1', '', 'constructor');
const scalar = fc.oneof(fc.constantFrom<Json>(null, true, 0, 1, -2.5, '', 'text', '1'));
const { value } = fc.letrec<{ value: Json; object: JsonObject; units: Json; list: Json }>((tie) => ({
  value: fc.oneof({ depthSize: 'small' }, scalar, tie('object'), tie('units'), tie('list')),
  object: fc.dictionary(key, tie('value'), { maxKeys: 4 }) as fc.Arbitrary<JsonObject>,
  units: fc
    .uniqueArray(fc.oneof(id, fc.constantFrom(1, 7)), { maxLength: 6 })
    .chain((ids) => fc.tuple(...ids.map((id) => tie('object').map((object) => ({ ...object, id }))))),
  list: fc.oneof(fc.array(scalar, { maxLength: 4 }), fc.array(tie('value'), { maxLength: 5 })),
}));
const object = fc.dictionary(key, value, { maxKeys: 4 });
const records = fc
  .uniqueArray(id, { maxLength: 7 })
  .chain((ids) => fc.tuple(...ids.map((id) => object.map((attributes) => ({ ...attributes, id })))))
  .map((list) => (list as JsonObject[]).sort((a, b) => compareNatural(String(a.id), String(b.id))));
const dataset = fc.oneof(records, object, fc.array(object, { maxLength: 4 }));

const content: fc.Arbitrary<BuildContent> = fc
  .tuple(
    records.map((list) => list.map((record) => ({ ...record, name: `The ${record.id}` }))),
    fc.dictionary(fc.constantFrom('items', 'rates'), dataset),
    fc.constantFrom('1.0', '1.1'),
  )
  .map(([characters, datasets, build]) =>
    contentOf(
      canonicalise(characters).value as JsonObject[],
      canonicalise(datasets).value as Record<string, JsonObject>,
      build,
    ),
  );

test('patches and flat changes are exact in both directions, and contain nothing else', () => {
  fc.assert(fc.property(content, content, checkPair), runsOf(300));
});

test.run();
