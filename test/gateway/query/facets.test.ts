import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Collection } from '../../../gateway/query/collection.ts';
import { describeFacets } from '../../../gateway/query/facets.ts';
import { encodeLines } from '../../../scripts/format/dist-format.ts';

const facets = suite('describeFacets');

facets('counts a record once for each of its values, even if its list repeats one', () => {
  const lines = ['{"tags":["b","a","b"]}', '{}', '{"tags":"b"}', '{"tags":["b"]}'];
  const { records } = describeFacets(new Collection(Buffer.from(encodeLines(lines))));
  assert.equal(
    records.map((record) => JSON.parse(record.toString())),
    [
      {
        id: 'tags',
        type: 'string',
        list: true,
        count: 3,
        distinct: 2,
        values: [
          { value: 'a', count: 1 },
          { value: 'b', count: 3 },
        ],
      },
    ],
  );
});

facets.run();
