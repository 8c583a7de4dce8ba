/** The check whose finding reports the time limit. */
export const TIME_LIMIT = ['time-limit'];
const MEMORY = ['memory-limit'];
// If the process has enough memory to get that far, the language refuses the value.
const EITHER = ['memory-limit', 'expression-result'];

/** Expressions that only a limit stops, with the checks whose findings may report it. */
export const HOSTILE_EXPRESSIONS: [name: string, entry: string, checks: string[]][] = [
  ['never ends', '( $f := function($x) { $f($x) }; $f(1) )', TIME_LIMIT],
  ['never ends inside one regular expression', `$match('${'a'.repeat(60)}b', /^(a+)+$/)`, TIME_LIMIT],
  ['recurses without end', '( $f := function($x) { 1 + $f($x + 1) }; $f(1) )', ['expression-result']],
  ['keeps more and more', '( $f := function($l) { $f([$l, [$l]]) }; $f([1]) )', MEMORY],
  ['needs much memory at once', "$map([1..10000000], function($v) { $pad('x', $v) })", MEMORY],
  ['makes a text that is too long', "( $f := function($x) { $f($x & $x) }; $f('ever') )", EITHER],
  ['makes a list that is too long', '( $f := function($x) { $f($append($x, $x)) }; $f([1, 2]) )', EITHER],
];
