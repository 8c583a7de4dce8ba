/*
 * JSONata without promises.
 *
 * The package evaluates every node of an expression with a promise, which takes most of its time. Mappings are evaluated for each row of each build,
 * so its source is rewritten when it is loaded: its functions return their values, and the most frequent steps of mappings need no intermediate
 * lists, closures and look-ups. The values stay the same: test/scripts/compile/jsonata.test.ts compares them with the package for random expressions.
 * Two faults of the package are repaired. A full build takes 1.9 times the processor time with the package as published, and 3.1 times with its
 * version without promises (1.8).
 *
 * Each replacement states how often it must match, and the source is checked by its hash: another version of the package is refused.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { compileFunction } from 'node:vm';
import type jsonata from 'jsonata';
import { apply, compile, createSequence, Frame, lookUp, usePackage } from './closures.ts';

/** A parsed expression that returns its value instead of a promise. */
export interface Parsed extends Omit<jsonata.Expression, 'evaluate'> {
  /** @throws what JSONata's promise rejects with; if several parts fail, the first error */
  evaluate(input: unknown, bindings?: Record<string, unknown>): unknown;
}

/** jsonata.js of jsonata 2.2.2, the version in package.json. */
const SHA256 = '9c2a35f4d895797f123f65c7f9a4ce16b3a295d209e0f3f225a0c3bae1bd9049';

// biome-ignore format: a replacement on each line.
const REPLACEMENTS: readonly [times: number, pattern: RegExp, by: string][] = [
  // Repair: a group adds undefined to an empty list, which may be one of the tables.
  [1, /input\.push\(undefined\);/g, 'input = [undefined];'],
  // Repair: the operand before ?? and ?: is copied as JSON, which loses regexes and functions.
  [2, /JSON\.parse\(JSON\.stringify\(left\)\)/g, 'fast.copyOf(left)'],
  // A function returns its value, and nothing runs concurrently.
  [46, /\basync (?=function|\()/g, ''],
  [2, /\bawait Promise\.all\b/g, ''],
  [103, /\bawait /g, ''],
  [2, /environment\.isParallelCall = idx > 0/g, ''],
  [3, /if \(isPromise\(result\)\) \{\s*result = result;\s*\}/g, ''],
  // Each step looks up three hooks for debuggers, which are never set, and counts depth and time, which are not limited here.
  [3, /(?:environment|enclosingEnvironment)\.lookup\(Symbol\.for\('jsonata\.__\w+'\)\)/g, 'undefined'],
  [3, /environment\.base\.(?:depth\+\+|guardrails\(\)|depth--);/g, ''],
  [1, /exec_env\.createSequence = function\(\) \{[\s\S]*?\n {16}\}\n/g, 'exec_env.createSequence = fast.createSequence;\n'],
  [1, /exec_env\.timestamp = timestamp;/g, ''],
  // Frames of one class are faster to create and to read than objects with two closures each.
  [1, /function createFrame\(enclosingEnvironment\) \{[\s\S]*?\n {4}\}\n/g, 'function createFrame(outer) { return new fast.Frame(outer); }\n'],
  // Most nodes are evaluated by functions (closures.ts), which call those of the package.
  [1, /var staticFrame = createFrame\(null\);/g, 'fast.usePackage({ evaluate, evaluateFilter, evaluateGroupExpression, evaluateNumericExpression, evaluateEqualityExpression, evaluateComparisonExpression, evaluateRangeExpression, applyNativeFunction, isArrayOfNumbers, isIterable, getFunctionArity, fn }); $&'],
  [1, /function evaluate\(expr, input, environment\) \{\s*var result;/g, '$& var run = expr.run === undefined ? fast.compile(expr) : expr.run; if (run !== null) return run(input, environment);'],
  [1, /function apply\(proc, args, input, environment\) \{/g, '$& return fast.apply(proc, args, input, environment);'],
  [1, /function lookup\(input, key\) \{/g, '$& return fast.lookUp(input, key);'],
  [1, /function string\(arg, prettify = false\) \{/g, '$& if (Number.isFinite(arg)) return String(Number.isInteger(arg) ? arg : Number(arg.toPrecision(15)));'],
  // Functions are called again and again with arguments of the same types, which mostly need no change.
  [1, /var regex = new RegExp\(regexStr\);/g, '$& var matches = new Map();'],
  [1, /args\.forEach\(function \(arg\) \{\s*(suppliedSig \+= getSymbol\(arg\);)\s*\}\);/g, 'for (var arg of args) $1'],
  [1, /var isValid = regex\.exec\(suppliedSig\);/g, 'if (!matches.has(suppliedSig)) matches.set(suppliedSig, fast.matchArguments(regex, suppliedSig, params)); var isValid = matches.get(suppliedSig); if (isValid === true) return args;'],
];

let parser: ((text: string) => Parsed) | undefined;

/**
 * Parses an expression.
 *
 * @throws JSONata's exception for a text that is not an expression
 */
export function parseJsonata(text: string): Parsed {
  parser ??= loadPackage();
  return parser(text);
}

let toMillis: Parsed | undefined;

/** JSONata's own `$toMillis`: undefined if the picture does not match. @throws what JSONata throws */
export function jsonataMillis(time: string | undefined, picture: string | undefined): unknown {
  toMillis ??= parseJsonata('$toMillis($time, $picture)');
  return toMillis.evaluate(undefined, { time, picture });
}

function loadPackage(): (text: string) => Parsed {
  const filename = createRequire(import.meta.url).resolve('jsonata');
  const module = { exports: {} };
  const run = compileFunction(rewrite(readFileSync(filename, 'utf8')), ['module', 'exports', 'fast'], {
    filename,
  });
  run(module, module.exports, FAST);
  return module.exports as (text: string) => Parsed;
}

/** Makes every replacement. @throws Error if the source is not the known one */
export function rewrite(source: string): string {
  const sha256 = createHash('sha256').update(source).digest('hex');
  if (sha256 !== SHA256)
    throw new Error(
      `the source of the package jsonata is not the known one: its SHA-256 is ${sha256}, expected ${SHA256}; install the version that package.json names`,
    );
  return REPLACEMENTS.reduce((text, [times, pattern, by]) => {
    const count = text.match(pattern)?.length ?? 0;
    if (count !== times)
      throw new Error(`${pattern} is in the source of jsonata ${count} times, expected ${times}`);
    return text.replaceAll(pattern, by);
  }, source);
}

/** Matches the types of arguments with a signature. @returns true if the arguments are passed on as they are */
function matchArguments(
  signature: RegExp,
  types: string,
  parameters: readonly { type: string; subtype?: string; context?: boolean }[],
): RegExpExecArray | true | null {
  const match = signature.exec(types);
  const isSame = parameters.every(({ type, subtype, context }, index) => {
    const found = match?.[index + 1];
    if (index >= types.length) return found === '' && !context;
    return type === 'a' ? found === 'a' && subtype === undefined : found?.length === 1;
  });
  return isSame && match ? true : match;
}

/** Copies a part of a parsed expression, with all objects and lists in it. */
function copyOf(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(copyOf);
  if (typeof part !== 'object' || part === null || part instanceof RegExp) return part;
  return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, copyOf(value)]));
}

/** The functions that the rewritten source calls. */
const FAST = { Frame, usePackage, apply, compile, createSequence, lookUp, copyOf, matchArguments };
