import { parseSync } from 'oxc-parser';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { printTypes } from '../../../scripts/types/types.ts';

const test = suite('printed types');

const HOSTILE = '*/ }\n}; alert(1); /* "\u2028//';

test('are nothing but types, whatever a game and its attributes are called', () => {
  const schema = {
    description: HOSTILE,
    properties: { [HOSTILE]: { type: 'string', description: HOSTILE, enum: [HOSTILE] } },
  };
  const list = { record: schema, facets: new Map([[HOSTILE, schema]]) };
  const code = printTypes({
    ...{ slug: 'saga', title: HOSTILE, build: HOSTILE, characters: { ...list, entry: schema } },
    lists: new Map([[HOSTILE, list]]),
    objects: new Map([[`b${HOSTILE}`, schema]]),
  });
  const { program, errors } = parseSync('types.ts', code);
  assert.equal(errors, [], code);
  const kinds = program.body.map((node) =>
    node.type === 'ExportNamedDeclaration' ? node.declaration?.type : node.type,
  );
  assert.equal([...new Set(kinds)], ['TSInterfaceDeclaration'], code);
});

test.run();
