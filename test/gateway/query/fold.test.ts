import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { foldText, foldTexts, toInitials } from '../../../gateway/query/fold.ts';

const fold = suite('foldText');

const SAME: [string, string, string][] = [
  ['case', 'HU TAO', 'hu tao'],
  ['case that has no single capital', 'Straße', 'STRASSE'],
  ['Latin accents', 'Élan Ünal Ñandú', 'elan unal nandu'],
  ['Greek accents and the final sigma', 'Ὀδυσσεύς', 'ΟΔΥΣΣΕΥΣ'],
  ['Cyrillic accents', 'Ёлка', 'елка'],
  ['full and half width', 'ＡＢＣ１２', 'abc12'],
  ['half-width katakana', 'ｶﾞﾝﾀﾞﾑ', 'がんだむ'],
  ['hiragana and katakana', 'フータオ', 'ふーたお'],
  ['composed and decomposed', 'e\u0301', 'é'],
  ['the dotted capital I', 'İstanbul', 'istanbul'],
];
for (const [what, a, b] of SAME) fold(`folds ${what}`, () => assert.is(foldText(a), foldText(b)));

const DIFFERENT: [string, string, string][] = [
  ['voiced and unvoiced kana', 'ガ', 'カ'],
  ['voiced kana in hiragana', 'ば', 'は'],
  ['different letters', 'a', 'b'],
  ['the marks of other scripts', 'กี', 'กา'],
];
for (const [what, a, b] of DIFFERENT)
  fold(`distinguishes ${what}`, () => assert.is.not(foldText(a), foldText(b)));

fold('folds plain text in the same way alone and beside other text', () => {
  for (let unit = 0; unit <= 0xffff; unit++) {
    const character = String.fromCharCode(unit);
    // A combining mark combines with the space before it, not with the text after it.
    for (const text of [` ${character}`, ` ${character}か`, ` 가${character}`, ` A${character}`])
      assert.is(foldText(`${text} é`), `${foldText(`${text} `)}e`, `U+${unit.toString(16)}`);
  }
});

fold('folds many texts in the same way as each alone', () => {
  const texts = [...SAME, ...DIFFERENT].flatMap(([, a, b]) => [a, b]);
  // Characters at the ends of consecutive texts: marks, a sigma, surrogates, white space.
  const ends = ['', '\u0301', 'ΣΑΣ', '\u3099', 'か', '\ud83d', '\ude00', ' ', 'e', '\u1161'];
  for (const text of [...texts, ...ends]) {
    const pairs = ends.flatMap((end) => [text, end]);
    assert.equal(foldTexts(pairs), pairs.map(foldText));
  }
  assert.equal(foldTexts(['A\nB', '', 'C\n']), ['a b', '', 'c ']);
});

fold('returns the initial consonants of hangul, and leaves other text unchanged', () => {
  assert.is(toInitials(foldText('아르 X')), foldText('ㅇㄹ X'));
  assert.is(toInitials('hu tao'), 'hu tao');
});

fold('maps every compatibility initial to the initial of syllables', () => {
  const pairs = [...'ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ'].map((initial, index) => [
    initial,
    String.fromCharCode(0xac00 + index * 588),
  ]);
  for (const [initial = '', syllable = ''] of pairs) assert.is(toInitials(syllable), foldText(initial));
});

fold.run();
