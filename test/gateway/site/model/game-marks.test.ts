import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { marksOf } from '../../../../gateway/site/model/game-marks.ts';

const test = suite('the marks of games');

function marks(...titles: string[]): (string | undefined)[] {
  const found = marksOf(titles.map((title, at) => ({ slug: `game-${at}`, title })));
  return titles.map((_, at) => found.get(`game-${at}`));
}

test('are the first letters of two words, and more letters where two games have the same ones', () => {
  assert.equal(marks('Honkai: Star Rail', 'Arknights', 'Genshin Impact'), ['HS', 'Ar', 'GI']);
  assert.equal(marks('Genshin Impact', 'Gakuen Idolmaster'), ['Ge', 'Ga']);
  assert.equal(marks('Fate/Grand Order', 'Fate/Grand Order (Japan)'), ['FGO', 'FGOJ']);
});

test('are never shared, also not by games with one title', () => {
  const titles = ['Saga', 'Saga', 'Sa', 'Sa 1', 'S', '!', '!', '原神', '原'];
  const found = marks(...titles);
  assert.is(new Set(found).size, titles.length, found.join());
});

test.run();
