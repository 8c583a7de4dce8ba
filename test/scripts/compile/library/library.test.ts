import jsonata from 'jsonata';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { canonicalise } from '../../../../scripts/compile/compile-build.ts';
import { compileExpression } from '../../../../scripts/compile/expression.ts';
import { LIBRARY } from '../../../../scripts/compile/library.ts';
import type { Json, JsonObject } from '../../../../scripts/format/dist-format.ts';
import { fc } from '../../../support/random.ts';

const test = suite('library of functions');

async function evaluate(text: string, context?: unknown): Promise<unknown> {
  const compiled = compileExpression(text, { file: 'game.json', pointer: '' });
  if ('finding' in compiled) throw new Error(compiled.finding.found);
  return canonicalise(await compiled.value.evaluate(context, {})).value;
}

/** An expression over `ROW`, and its value. */
const ROW = {
  list: ['a', 'b', 'c'],
  lists: [[1], [2, 3]],
  one: 'x',
  empty: [],
  no: null,
  zero: 0,
  table: JSON.parse(
    '{"7": "seven", "a": "A", "void": "", "constructor": "C", "__proto__": "P"}',
  ) as JsonObject,
  number: 7,
};
const cases: [expression: string, expected: Json | undefined][] = [
  ['$first(list)', 'a'],
  ['$first(one)', 'x'],
  ['$first(empty)', undefined],
  ['$last(list)', 'c'],
  ['list ~> $last', 'c'],
  ['$map(lists, $last)', [1, 3]],

  ["$get(table, 'a')", 'A'],
  ['$get(table, number)', 'seven'],
  ['$get(table, absent)', undefined],
  ["$get(absent, 'a')", undefined],
  ["$get(table, '__proto__')", 'P'],
  ["$get($, 'constructor')", undefined],
  ['$get(list, 1)', 'b'],
  ['$get(list, 3)', undefined],
  ["$get(list, 'length')", undefined],

  ["$text(table, 'a', 'none')", 'A'],
  ["$text(table, 'b', 'none')", 'none'],
  ["$text(table, 'void', 'none')", 'none'],
  ["$text(table, absent, 'none')", 'none'],
  ["$text(absent, 'a', 'none')", 'none'],

  ['$fromZero(zero)', 1],
  ["$fromZero('4')", 5],
  ['$map([0, 1], $fromZero)', [1, 2]],

  ['$isoSeconds(1593334800)', '2020-06-28T09:00:00.000Z'],
  ["$isoSeconds('1593334800')", '2020-06-28T09:00:00.000Z'],
  ['$isoSeconds(-1.5)', '1969-12-31T23:59:58.500Z'],
  ['$isoMillis(1593334800123)', '2020-06-28T09:00:00.123Z'],

  ["$isoLocal('2024/05/01 5:00:00', '+09:00')", '2024-04-30T20:00:00.000Z'],
  ["$isoLocal('2024/05/01 05:00:00', '-5')", '2024-05-01T10:00:00.000Z'],
  ["$isoLocal('2024-5-1 5:07', '+05:30')", '2024-04-30T23:37:00.000Z'],
  ["$isoLocal('2024-05-01T05:00:00', 'Z')", '2024-05-01T05:00:00.000Z'],
  ["$isoLocal('2024.05.01 5:00', '+09:00')", '2024-04-30T20:00:00.000Z'],
  ["$isoLocal('2024/2/29', '+0800')", '2024-02-28T16:00:00.000Z'],

  ["$strip('ATK <@ba.vup>+{atk:0%}</> for <$ba.stun>3</> s')", 'ATK +{atk:0%} for 3 s'],
  ["$strip('<color=#fff>a</color><color name=#FFF>b</color><size=20>c</size>')", 'abc'],
  ["$strip('<i>a</i> <b>b</b><br>c<br/>d<br />e')", 'a b\nc\nd\ne'],
  [
    "$strip('<Scrap> and <including sub-members> of <変異腫瘍>')",
    '<Scrap> and <including sub-members> of <変異腫瘍>',
  ],
  ["$strip('1 < 2 and 3 > 2, {F#she}{M#he}, <unclosed')", '1 < 2 and 3 > 2, {F#she}{M#he}, <unclosed'],
  ["$strip('<b>{F#She}{M#He}</b> has {n}', 'F')", 'She has {n}'],
  ["$strip('{F#She}{M#He} has {n}', 'X')", ' has {n}'],
  ["$strip('LV.<unbreak>999</unbreak>')", 'LV.999'],
  ["$strip('<a1><b-c>x</b-c></a1> of <Scrap>, </nothing>')", 'x of <Scrap>, '],
  ["$strip('<#ba.burning>Burning</> and <#FF00FF>x</color>')", 'Burning and x'],
  ["$strip('<c4>BIBI</c> <cffffff>and</c> <Scrap>')", 'BIBI and <Scrap>'],
  ['$strip(\'<Bold>a</> <img id="icon"/><Rich id="x">b</> of <Scrap>\')', 'a b of <Scrap>'],
  ["$strip('<@ba.kw>use <Scrap> now</>, <#1 Fan>')", 'use <Scrap> now, <#1 Fan>'],

  ["$unescape('Tom &amp; Jerry &lt;3 &quot;x&quot; &#39;y&#x27;')", `Tom & Jerry <3 "x" 'y'`],
  ["$unescape('caf&eacute;&nbsp;&#8212;&#x1F600;')", 'café\u00a0—😀'],
  ["$unescape('&amp;lt; & &unknown; &copy AT&T')", '&lt; & &unknown; &copy AT&T'],
];
for (const [expression, expected] of cases) {
  test(`${expression} is ${JSON.stringify(expected)}`, async () => {
    assert.equal(await evaluate(expression, ROW), expected);
  });
}

const refused: [expression: string, message: RegExp][] = [
  ["$get(one, 'a')", /^\$get expects an object or a list, not the text "x"/],
  ['$get(table, true)', /^\$get expects a text or a number as the key, not the boolean true/],
  ["$text($, 'number')", /^\$text expects a table of texts, not the number 7/],
  ["$fromZero('TIER_6')", /^\$fromZero expects a number, not the text "TIER_6"/],
  ["$isoSeconds('2024-01-01')", /^\$isoSeconds expects seconds since 1970/],
  ['$isoSeconds(1593334800123)', /^\$isoSeconds expects seconds since 1970, not the number 1593334800123/],
  ['$isoMillis(true)', /^\$isoMillis expects milliseconds since 1970/],
  [
    "$isoLocal('2024/02/30', 'Z')",
    /^\$isoLocal expects a time, for example "2024\/02\/29 5:00:00", not the text "2024\/02\/30"/,
  ],
  ["$isoLocal('2024/01/01 24:00:00', 'Z')", /expects a time, for example/],
  ["$isoLocal('2024/01/01 1:60', 'Z')", /expects a time, for example/],
  ["$isoLocal('9999/12/31 23:59', '-8')", /expects a time in the years 0 to 9999/],
  ["$isoLocal('2024/01/01')", /^\$isoLocal expects an offset from UTC, for example "\+09:00", not nothing/],
  ["$isoLocal('2024/01/01', '+15')", /expects an offset/],
  ['$unescape(1)', /^\$unescape expects a text, not the number 1/],
  ["$strip('a', 1)", /^\$strip expects the name of a wording, for example "F", not the number 1/],
  ['$strip(1)', /^\$strip expects a text, not the number 1/],
];
for (const [expression, message] of refused) {
  test(`${expression} fails and says what it expects`, async () => {
    const failure = await evaluate(expression, ROW).then(
      () => undefined,
      (error: Error) => error.message,
    );
    assert.match(failure ?? '', message);
  });
}

for (const name of Object.keys(LIBRARY)) {
  test(`$${name} returns undefined for undefined and null`, async () => {
    assert.is(await evaluate(`$${name}(absent, 'Z')`, ROW), undefined);
    assert.is(await evaluate(`$${name}(no, 'Z')`, ROW), undefined);
    assert.is(await evaluate(`$${name}()`, ROW), undefined);
  });

  test(`$${name} is not a function of JSONata itself`, async () => {
    assert.match(name, /^[a-z][A-Za-z]*$/);
    assert.is(await jsonata(`$exists($${name})`).evaluate({}), false);
  });

  test(`$${name} accepts or refuses any JSON, and does not change it`, () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (first, second) => {
        const before = JSON.stringify([first, second]);
        try {
          LIBRARY[name]?.(first, second);
        } catch (error) {
          assert.match((error as Error).message, / expects /);
        }
        assert.is(JSON.stringify([first, second]), before);
      }),
    );
  });
}

test('stripping takes linear time, also if no tag is closed', () => {
  // Quadratic time would be hours, and the runner would end the test.
  const hostile = ['<', '<a=', '<a ', '</', '<@', '<br '].map((part) => part.repeat(2_000_000));
  for (const text of hostile) assert.type(LIBRARY.strip?.(text), 'string');
});

test.run();
