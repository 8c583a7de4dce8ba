/** The check of a finding that the time limit gives. */
export const TIME_LIMIT = ['time-limit'];
const MEMORY = ['memory-limit'];
// The language refuses the value itself, where the process gets as far as that.
const EITHER = ['memory-limit', 'expression-result'];

/** Expressions that only a bound stops, with the checks whose finding may say so. */
export const HOSTILE_EXPRESSIONS: [name: string, entry: string, checks: string[]][] = [
  ['never ends', '( $f := function($x) { $f($x) }; $f(1) )', TIME_LIMIT],
  ['never ends inside one regular expression', `$match('${'a'.repeat(60)}b', /^(a+)+$/)`, TIME_LIMIT],
  ['recurses without end', '( $f := function($x) { 1 + $f($x + 1) }; $f(1) )', MEMORY],
  ['keeps ever more', '( $f := function($l) { $f([$l, [$l]]) }; $f([1]) )', MEMORY],
  ['asks for memory in one piece', "$map([1..10000000], function($v) { $pad('x', $v) })", MEMORY],
  ['makes a text longer than any', "( $f := function($x) { $f($x & $x) }; $f('ever') )", EITHER],
  ['makes a list longer than any', '( $f := function($x) { $f($append($x, $x)) }; $f([1, 2]) )', EITHER],
];
