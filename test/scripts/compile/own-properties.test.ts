import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { canonicalise } from '../../../scripts/compile/compile-build.ts';
import { compileExpression } from '../../../scripts/compile/expression.ts';

const test = suite('expressions and what objects inherit');

const INHERITED = ['constructor', '__proto__', 'toString', 'hasOwnProperty', '__defineGetter__'];
const ROW = { obj: { a: 1 }, list: [{ a: 1 }, { a: 2 }], text: 'abc', number: 1 };

async function evaluate(text: string, context: unknown): Promise<unknown> {
  const compiled = compileExpression(text, { file: 'game.json', pointer: '' });
  if ('finding' in compiled) throw new Error(compiled.finding.found);
  return canonicalise(await compiled.value.evaluate(context, { tables: ROW })).value;
}

for (const name of INHERITED) {
  test(`${name} is undefined if no object has it as its own property`, async () => {
    for (const expression of [
      `\`${name}\``,
      `obj.\`${name}\``,
      `list.\`${name}\``,
      `text.\`${name}\``,
      `number.\`${name}\``,
      `$.obj.\`${name}\`.\`${name}\``,
      `$tables.\`${name}\``,
      `$lookup(obj, '${name}')`,
      `$lookup(list, '${name}')`,
      `$lookup($tables, '${name}')`,
      `$get(obj, '${name}')`,
      `$get(list, '${name}')`,
      `$text(obj, '${name}')`,
      `$sum.\`${name}\``,
      `$lookup($sum, '${name}')`,
      `$last.\`${name}\``,
      `(function($x) { $x }).\`${name}\``,
      `$${name}`,
      `($m := /b/; $m('abc').next).\`${name}\``,
    ]) {
      assert.is(await evaluate(expression, ROW), undefined, expression);
    }
  });

  test(`${name} is found if an object has it as its own property, and does not change`, async () => {
    const context = JSON.parse(`{"obj": {"${name}": {"x": 1}}}`);
    for (const expression of [
      `obj.\`${name}\`.x`,
      `$lookup(obj, '${name}').x`,
      `$get(obj, '${name}').x`,
      `$each(obj, function($v) { $v.x })`,
      `$merge([obj, {}]).\`${name}\`.x`,
      `$sift(obj, function($v) { true }).\`${name}\`.x`,
      `{ '${name}': obj.\`${name}\` }.\`${name}\`.x`,
      `obj.*.x`,
      `(**.\`${name}\`).x`,
    ]) {
      assert.is(await evaluate(expression, context), 1, expression);
    }
    assert.is(JSON.stringify(await evaluate('obj', context)), `{"${name}":{"x":1}}`);
  });
}

test('no expression can write to what objects inherit', async () => {
  for (const expression of [
    "$ ~> |$|{ '__proto__': { 'polluted': true } }|",
    "$ ~> |obj|{ 'constructor': { 'prototype': { 'polluted': true } } }|",
    "$merge([obj, { '__proto__': { 'polluted': true } }])",
    "{ '__proto__': { 'polluted': true } }",
    "list{ '__proto__': { 'polluted': a } }",
    '($__proto__ := { "polluted": true }; $polluted)',
    "obj.constructor.prototype ~> |$|{ 'polluted': true }|",
    "$spread({ '__proto__': { 'polluted': true } })",
  ]) {
    await evaluate(expression, ROW).catch(() => undefined);
    assert.is(({} as Record<string, unknown>).polluted, undefined, expression);
    assert.is((Object as unknown as Record<string, unknown>).polluted, undefined, expression);
  }
});

test.run();
