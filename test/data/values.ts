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
  ['fate-grand-order-jp', 'castoria', '504500'],
  ['fate-grand-order-jp', 'キャストリア', '504500'],
  ['honkai-star-rail', 'dan heng il', '1213'],
  ['zenless-zone-zero', 'ミヤビ', '1091'],
];

/** The newest build of a shipped game. */
async function readNewest(slug: string): Promise<ParsedBuild> {
  const { value } = await compileShipped(slug);
  const newest = value && parsePlan(value).at(-1);
  assert.ok(newest, slug);
  return newest;
}

for (const slug of [
  'arknights',
  'fate-grand-order',
  'fate-grand-order-jp',
  'genshin-impact',
  'honkai-star-rail',
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

test.run();
