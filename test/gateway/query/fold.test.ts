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
  fold(`keeps apart ${what}`, () => assert.is.not(foldText(a), foldText(b)));

fold('folds what is plain as it folds it beside what is not', () => {
  for (let unit = 0; unit <= 0xffff; unit++) {
    const character = String.fromCharCode(unit);
    // Whatever combines does so with the space before it, and not with what follows.
    for (const text of [` ${character}`, ` ${character}か`, ` 가${character}`, ` A${character}`])
      assert.is(foldText(`${text} é`), `${foldText(`${text} `)}e`, `U+${unit.toString(16)}`);
  }
});

fold('folds many texts as it folds each', () => {
  const texts = [...SAME, ...DIFFERENT].flatMap(([, a, b]) => [a, b]);
  // What stands at the ends of texts that come after each other: marks, a sigma, surrogates, white space.
  const ends = [
    '',
    '\u0301',
    'ΣΑΣ',
    '\u3099',
    'か',
    '\ud83d',
    '\ude00',
    ' ',
    '\u0345',
    'e',
    '\u1161',
    '\u1100',
  ];
  for (const text of [...texts, ...ends]) {
    const pairs = ends.flatMap((end) => [text, end]);
    assert.equal(foldTexts(pairs), pairs.map(foldText));
  }
  assert.equal(foldTexts(['A\nB', '', 'C\n']), ['a b', '', 'c ']);
});

fold('gives the initial consonants of hangul, and leaves the rest', () => {
  assert.is(toInitials(foldText('아르 X')), foldText('ㅇㄹ X'));
  assert.is(toInitials('hu tao'), 'hu tao');
});

fold('brings every compatibility initial to what syllables give', () => {
  const pairs = [...'ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ'].map((initial, index) => [
    initial,
    String.fromCharCode(0xac00 + index * 588),
  ]);
  for (const [initial = '', syllable = ''] of pairs) assert.is(toInitials(syllable), foldText(initial));
});

fold.run();
