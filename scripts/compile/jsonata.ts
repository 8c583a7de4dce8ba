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

/** A parsed expression that returns its value instead of a promise. */
export interface Parsed extends Omit<jsonata.Expression, 'evaluate'> {
  /** @throws what JSONata's promise rejects with; if several parts fail, the first error */
  evaluate(input: unknown, bindings?: Record<string, unknown>): unknown;
}

/** jsonata.js of jsonata 2.2.2, the version in package.json. */
const SHA256 = '9c2a35f4d895797f123f65c7f9a4ce16b3a295d209e0f3f225a0c3bae1bd9049';

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
  [
    1,
    /exec_env\.createSequence = function\(\) \{[\s\S]*?\n {16}\}\n/g,
    'exec_env.createSequence = fast.createSequence;\n',
  ],
  // Frames of one class are faster to create and to read than objects with two closures each.
  [
    1,
    /function createFrame\(enclosingEnvironment\) \{[\s\S]*?\n {4}\}\n/g,
    'function createFrame(outer) { return new fast.Frame(outer); }\n',
  ],
  // Most values are texts and numbers, not lists.
  [
    1,
    /return value\.sequence === true && Array\.isArray\(value\);/g,
    'return Array.isArray(value) && value.sequence === true;',
  ],
  [1, /return \(\(arg && \(arg\._jsonata_function === true .*/g, 'return fast.isFunction(arg);'],
  // The properties of a node are computed once.
  [3, /Object\.prototype\.hasOwnProperty\.call\(expr, '(predicate|group)'\)/g, 'expr.$1 !== undefined'],
  [1, /ast = parser\(expr, options && options\.recover\);/g, 'ast = fast.prepareTree(parser(expr));'],
  // Most paths consist of attribute names, and most values that they are applied to are not lists.
  [
    1,
    /function evaluatePath\(expr, input, environment\) \{/g,
    '$& if (expr.plain !== undefined) return fast.walkPath(expr.plain, input, environment, evaluate);',
  ],
  [
    1,
    /function evaluateName\(expr, input, environment\) \{/g,
    '$& if (!Array.isArray(input)) return fast.attributeOf(input, expr.value);',
  ],
  [
    1,
    /function lookup\(input, key\) \{/g,
    '$& if (!Array.isArray(input)) return fast.attributeOf(input, key);',
  ],
  // Most objects have constant names, and are made for a single value.
  [
    1,
    /function evaluateGroupExpression\(expr, input, environment\) \{/g,
    '$& if (expr.constants !== undefined && fast.isSingle(input)) return fast.makeObject(expr.constants, input, environment, evaluate);',
  ],
  // A function that a game defines is evaluated once for the same arguments.
  [
    1,
    /function applyInner\(proc, args, input, environment\) \{/g,
    '$& if (proc?.memo !== undefined) return fast.recall(proc, args, (plain) => apply(plain, args, input, environment));',
  ],
  // A list is not copied for each element.
  [1, /result = fn\.append\.call\(focus, result, value\);/g, 'fast.appendTo(result, value);'],
  // Functions are called again and again with arguments of the same types, which mostly need no change.
  [1, /var regex = new RegExp\(regexStr\);/g, '$& var matches = new Map();'],
  [
    1,
    /args\.forEach\(function \(arg\) \{\s*(suppliedSig \+= getSymbol\(arg\);)\s*\}\);/g,
    'for (var arg of args) $1',
  ],
  [
    1,
    /var isValid = regex\.exec\(suppliedSig\);/g,
    'if (!matches.has(suppliedSig)) matches.set(suppliedSig, fast.matchArguments(regex, suppliedSig, params)); var isValid = matches.get(suppliedSig); if (isValid === true) return args;',
  ],
  // A function that refers to variables of the function around it is made only where it is needed: V8 allocates those variables for each call.
  [
    1,
    /const closure = function \(\.\.\.params\) \{[^}]*\};/g,
    'const closure = fast.closureOf(apply, arg, environment);',
  ],
  [1, /var evalrhs = \(\) => evaluate\(expr\.rhs, input, environment\);/g, ''],
  [
    1,
    /return evaluateBooleanExpression\(lhs, evalrhs, op\)/g,
    'return evaluateBooleanExpression(lhs, fast.later(evaluate, expr.rhs, input, environment), op)',
  ],
  [1, /var rhs = evalrhs\(\);/g, 'var rhs = evaluate(expr.rhs, input, environment);'],
  [
    1,
    /Array\.prototype\.forEach\.call\(res, function \(ires\) (\{[\s\S]*?\n {20}\})\);/g,
    'for (var ires of res) $1',
  ],
  [
    1,
    /Array\.prototype\.forEach\.call\(proc\.arguments, function \(param, index\) \{\s*env\.bind\(param\.value, args\[index\]\);\s*\}\);/g,
    'for (var index = 0; index < proc.arguments.length; index++) env.bind(proc.arguments[index].value, args[index]);',
  ],
  [
    1,
    /(result = )environment\.base\.createSequence\(\)(;\s*for\(var ii = 0; ii < input\.length; ii\+\+\))/g,
    '$1[]$2',
  ],
  [
    1,
    /var resultSequence = environment\.base\.createSequence\(\);(\s*if\(lastStep [\s\S]*?\} else \{)[\s\S]*?(\n {8}\}\n\n {8}return resultSequence;)/g,
    'var resultSequence;$1 resultSequence = fast.flatten(result);$2',
  ],
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

/** A frame with more names uses a map. */
const MAX_LISTED = 8;

/** A variable of a frame, in a list: most frames have one or two. */
interface Binding {
  readonly name: string;
  value: unknown;
  readonly before: Binding | undefined;
}

/** The variables of a block, a call or an expression, with those of the enclosing ones: JSONata's `createFrame`. */
class Frame {
  // Members that JSONata keeps in a frame.
  timestamp: unknown;
  global: unknown;
  base: unknown;
  options: unknown = undefined;
  createSequence: unknown = undefined;
  RegexEngine: unknown = undefined;
  readonly #outer: Frame | undefined;
  #last: Binding | undefined = undefined;
  #count = 0;
  #map: Map<string, unknown> | undefined = undefined;

  /** @param outer null for the outermost frame */
  constructor(outer: Frame | null) {
    this.timestamp = outer?.timestamp;
    this.global = outer?.global ?? { ancestry: [null] };
    this.base = outer?.base;
    this.#outer = outer ?? undefined;
  }

  bind(name: string, value: unknown): void {
    if (this.#map) {
      this.#map.set(name, value);
      return;
    }
    const known = find(this.#last, name);
    if (known) {
      known.value = value;
      return;
    }
    this.#last = { name, value, before: this.#last };
    if (++this.#count <= MAX_LISTED) return;
    this.#map = new Map();
    for (let at: Binding | undefined = this.#last; at; at = at.before) this.#map.set(at.name, at.value);
    this.#last = undefined;
  }

  lookup(name: string): unknown {
    for (let frame: Frame | undefined = this; frame !== undefined; frame = frame.#outer) {
      const binding = find(frame.#last, name);
      if (binding) return binding.value;
      if (frame.#map?.has(name)) return frame.#map.get(name);
    }
    return undefined;
  }
}

function find(last: Binding | undefined, name: string): Binding | undefined {
  let at = last;
  while (at !== undefined && at.name !== name) at = at.before;
  return at;
}

/** A node of a syntax tree. All have the same attributes in the same order, so that V8 reads them at fixed offsets. */
type TreeNode = Record<string, unknown>;

const EMPTY_NODE: TreeNode = Object.fromEntries(
  'type value position steps predicate group stages keepArray keepSingletonArray consarray tuple focus index ancestor procedure arguments expressions expression lhs rhs condition then else body signature thunk plain constants'
    .split(' ')
    .map((name) => [name, undefined]),
);

/** Attributes that disqualify a step of a plain path, or the name of a constant attribute. */
const MORE = 'predicate group stages keepArray keepSingletonArray consarray tuple focus index ancestor'.split(
  ' ',
);

/** Copies a syntax tree that JSONata has parsed, and marks what can be evaluated faster. */
function prepareTree(tree: unknown): unknown {
  const copies = new Map<unknown, unknown>();
  const copyInto = (target: object, part: object): object => {
    copies.set(part, target);
    for (const [name, value] of Object.entries(part)) Reflect.set(target, name, copy(value));
    return target;
  };
  const copy = (part: unknown): unknown => {
    if (typeof part !== 'object' || part === null || part instanceof RegExp) return part;
    if (copies.has(part)) return copies.get(part);
    if (Array.isArray(part)) return copyInto([], part);
    // Anything that is not a node, such as a signature, stays the same object.
    if (!('type' in part)) return copyInto(part, part);
    const node = copyInto({ ...EMPTY_NODE }, part) as TreeNode;
    // Interned, so that V8 compares the text by its address.
    if (typeof node.value === 'string') node.value = Object.keys({ [node.value]: 0 })[0];
    if (node.type === 'path') node.plain = plainSteps(node);
    if (node.type === 'unary' && node.value === '{') node.constants = constantAttributes(node);
    return node;
  };
  return copy(tree);
}

function isPlain(node: TreeNode): boolean {
  return MORE.every((name) => node[name] === undefined);
}

/** The steps of a path, if all after its first are names. */
function plainSteps(path: TreeNode): unknown {
  const { steps } = path;
  const isName = (step: TreeNode, at: number) =>
    isPlain(step) && (step.type === 'name' || (at === 0 && step.type === 'variable'));
  return isPlain(path) && Array.isArray(steps) && steps.every(isName) ? steps : undefined;
}

/** Numeric names would move to the front of an object, and JSONata refuses some names. */
const PLAIN_NAME = /^(?!_jsonata_|__proto__$|\d+$)/;

/** The attributes of an object constructor, if their names are constants. */
function constantAttributes({ lhs }: TreeNode): unknown {
  if (!Array.isArray(lhs)) return undefined;
  const keys: TreeNode[] = lhs.map(([key]) => key);
  const isConstant = (key: TreeNode) =>
    key.type === 'string' && isPlain(key) && PLAIN_NAME.test(String(key.value));
  if (!keys.every(isConstant) || new Set(keys.map(({ value }) => value)).size < keys.length) return undefined;
  return lhs.map(([key, value]) => ({ name: key.value, value }));
}

type Step = { type: string; value: string };
/** JSONata's `evaluate`. */
type Evaluate = (step: Step, input: unknown, frame: Frame) => unknown;
/** JSONata's list type: a value with several parts, which is unwrapped if a single value is expected. */
type Sequence = unknown[] & {
  sequence?: boolean;
  keepSingleton?: boolean;
  tupleStream?: boolean;
  cons?: boolean;
};
type Attributes = Record<string, unknown>;

const isList = (value: unknown): value is Sequence => Array.isArray(value);
const hasAttributes = (value: unknown): value is Attributes => typeof value === 'object' && value !== null;

function createSequence(...items: unknown[]): Sequence {
  const sequence: Sequence = items;
  sequence.sequence = true;
  return sequence;
}

function isFunction(value: unknown): boolean {
  if (!hasAttributes(value)) return typeof value === 'function';
  return value._jsonata_function === true || value._jsonata_lambda === true;
}

/** JSONata's `lookup` in a value that is not a list. It reads an attribute behind a proxy only once. */
function attributeOf(input: unknown, name: string): unknown {
  if (!hasAttributes(input)) return undefined;
  const value = input[name];
  if (value === undefined || (name in Object.prototype && !Object.hasOwn(input, name))) return undefined;
  return isFunction(input) ? undefined : value;
}

/** Evaluates a path of names like `evaluatePath`, without a list per step. */
function walkPath(steps: readonly Step[], input: unknown, frame: Frame, evaluate: Evaluate): unknown {
  let value = input;
  let items = isList(input) && steps[0]?.type === 'name' ? input : undefined;
  for (let at = 0; at < steps.length; at++) {
    const step = steps[at] as Step;
    const isLast = at === steps.length - 1;
    if (items === undefined) {
      value = takeStep(step, value, frame, evaluate);
      if (value === undefined) return undefined;
      if (!isList(value)) continue;
      if (isLast && value.sequence !== true) return value;
      items = flatten([value]);
    } else {
      const found = createSequence();
      for (const item of items) {
        const part = takeStep(step, item, frame, evaluate);
        if (part !== undefined) found.push(part);
      }
      const [only] = found;
      if (isLast && found.length === 1 && isList(only) && only.sequence !== true) return only;
      items = flatten(found);
    }
    if (items.length === 0) return undefined;
  }
  return items ?? value;
}

function takeStep(step: Step, input: unknown, frame: Frame, evaluate: Evaluate): unknown {
  if (step.type !== 'name' || isList(input)) return evaluate(step, input, frame);
  const value = attributeOf(input, step.value);
  if (!isList(value) || value.sequence !== true || value.tupleStream) return value;
  // A sequence with one value is that value.
  if (value.length === 0) return undefined;
  return value.length === 1 && !value.keepSingleton ? value[0] : value;
}

function flatten(results: readonly unknown[]): Sequence {
  const flat = createSequence();
  for (const result of results) {
    if (!isList(result) || result.cons) flat.push(result);
    else for (const element of result) flat.push(element);
  }
  return flat;
}

/** An object without inherited attributes, as JSONata makes them, but which V8 does not store as a hash table. */
class Bare {
  [name: string]: unknown;
}
Reflect.deleteProperty(Bare.prototype, 'constructor');
Object.setPrototypeOf(Bare.prototype, null);

/** Evaluates `{…}` with constant names for a single value, like `evaluateGroupExpression`. */
function makeObject(
  constants: readonly { name: string; value: Step }[],
  input: unknown,
  frame: Frame,
  evaluate: Evaluate,
): Bare {
  const item = isList(input) ? input[0] : input;
  const object = new Bare();
  for (const { name, value } of constants) {
    const made = evaluate(value, item, frame);
    if (made !== undefined) object[name] = made;
  }
  return object;
}

/** Whether `{…}` is evaluated once, not for each of several values. */
function isSingle(input: unknown): boolean {
  if (isList(input) && input.length > 1) return false;
  return !hasAttributes(input) || !input.tupleStream;
}

function appendTo(list: unknown[], value: unknown): void {
  if (!isList(value)) list.push(value);
  else for (const element of value) list.push(element);
}

/** A function that an expression defines. It has no side effects. */
export interface Lambda {
  _jsonata_lambda?: true;
  arguments: readonly unknown[];
  signature?: unknown;
  memo?: Memo | undefined;
}

/** How many results of a function are kept. */
const MAX_RESULTS = 20_000;
/** If fewer results than this share were needed again, keeping them costs more than it saves. */
const MIN_HITS = MAX_RESULTS / 4;

/** The results of a function, a level for each argument. Objects are told apart by identity, and do not stay in memory for it. */
export class Memo {
  /** Whether too few results were needed again. */
  isIdle = false;
  #hits = 0;
  #results = 0;
  #below: Map<unknown, Memo> | undefined;
  #ofObjects: WeakMap<object, Memo> | undefined;
  result: { value: unknown } | undefined;

  /** Counts a call. If there are too many results, forgets them all. */
  count(isHit: boolean): void {
    if (isHit) this.#hits++;
    else if (++this.#results > MAX_RESULTS) {
      this.isIdle = this.#hits < MIN_HITS;
      this.#hits = 0;
      this.#results = 0;
      this.#below = undefined;
      this.#ofObjects = undefined;
    }
  }

  at(argument: unknown): Memo {
    if (hasAttributes(argument)) {
      this.#ofObjects ??= new WeakMap();
      return levelOf(this.#ofObjects, argument);
    }
    this.#below ??= new Map();
    return levelOf(this.#below, argument);
  }
}

function levelOf<Key>(
  levels: { get(key: Key): Memo | undefined; set(key: Key, level: Memo): unknown },
  key: Key,
): Memo {
  let level = levels.get(key);
  if (level === undefined) {
    level = new Memo();
    levels.set(key, level);
  }
  return level;
}

/** Returns what a function has returned for the same arguments, or else calls it. */
function recall(lambda: Lambda, args: readonly unknown[], call: (plain: Lambda) => unknown): unknown {
  const memo = lambda.memo as Memo;
  if (memo.isIdle || args.length !== lambda.arguments.length || args.some(isFunction))
    return call({ ...lambda, memo: undefined });
  let level = memo;
  for (const arg of args) level = level.at(arg);
  memo.count(level.result !== undefined);
  level.result ??= { value: call({ ...lambda, memo: undefined }) };
  return level.result.value;
}

/** Makes a function of JavaScript of one of JSONata. */
function closureOf(
  apply: (proc: unknown, args: unknown[], input: null, frame: Frame) => unknown,
  proc: unknown,
  frame: Frame,
): (...args: unknown[]) => unknown {
  return (...args) => apply(proc, args, null, frame);
}

/** Evaluates the second operand of `and` and `or` only if it is needed. */
function later(evaluate: Evaluate, step: Step, input: unknown, frame: Frame): () => unknown {
  return () => evaluate(step, input, frame);
}

/** Matches the types of arguments with a signature. @returns true if the arguments are passed on as they are */
function matchArguments(
  signature: RegExp,
  types: string,
  parameters: readonly { type: string; subtype?: string }[],
): RegExpExecArray | true | null {
  const match = signature.exec(types);
  const isSame = parameters.every(({ type, subtype }, index) => {
    const found = match?.[index + 1];
    return type === 'a' ? found === 'a' && subtype === undefined : found?.length === 1;
  });
  return isSame && match ? true : match;
}

/** Copies a part of a parsed expression, with all objects and lists in it. */
function copyOf(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(copyOf);
  if (!hasAttributes(part) || part instanceof RegExp) return part;
  return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, copyOf(value)]));
}

/** The functions that the rewritten source calls. */
const FAST = {
  ...{
    Frame,
    prepareTree,
    createSequence,
    isFunction,
    attributeOf,
    walkPath,
    makeObject,
    isSingle,
    appendTo,
    recall,
  },
  ...{ copyOf, flatten, closureOf, later, matchArguments },
};
