// JSONata's syntax trees as functions of JavaScript.
// The package finds out again for each row what each node is, and makes lists, closures and frames on the way. Here, each node becomes a function
// when it is first evaluated, for the kinds of nodes that mappings consist of. `compile` returns nothing for other nodes, which the package
// evaluates: its functions and these call each other, with the same frames, lists and errors.
// The package's names are kept: a sequence is a list that stands for its only element; a stage is a filter behind a step of a path.

/** Evaluates a node. */
type Run = (input: unknown, frame: Frame) => unknown;

/** A node of a syntax tree. Its attributes depend on its type. */
interface TreeNode {
  type: string;
  value?: unknown;
  position?: unknown;
  /** Null if the package evaluates it; undefined before it is first evaluated. */
  run?: Run | null | undefined;
  readonly [name: string]: unknown;
}

/** A list that stands for its only element, and for nothing if it is empty. */
type Sequence = unknown[] & {
  sequence?: boolean;
  keepSingleton?: boolean;
  tupleStream?: boolean;
  outerWrapper?: boolean;
  cons?: boolean;
};
type Attributes = Record<string, unknown>;

const isList = (value: unknown): value is Sequence => Array.isArray(value);
const hasAttributes = (value: unknown): value is Attributes => typeof value === 'object' && value !== null;

/** The functions of the package that are called from here. */
interface Package {
  evaluate(node: TreeNode, input: unknown, frame: Frame): unknown;
  evaluateFilter(node: TreeNode, input: unknown, frame: Frame): unknown;
  evaluateGroupExpression(node: TreeNode, input: unknown, frame: Frame): unknown;
  evaluateNumericExpression(left: unknown, right: unknown, operator: string): unknown;
  evaluateEqualityExpression(left: unknown, right: unknown, operator: string): unknown;
  evaluateComparisonExpression(left: unknown, right: unknown, operator: string): unknown;
  evaluateRangeExpression(left: unknown, right: unknown, frame: Frame): unknown;
  applyNativeFunction(body: unknown, frame: Frame): unknown;
  isArrayOfNumbers(value: unknown): value is number[];
  isIterable(value: unknown): value is Iterator<unknown>;
  getFunctionArity(proc: unknown): number;
  fn: { boolean(value: unknown): boolean | undefined; string(value: unknown): string };
}

let jsonata: Package;

/** Receives the functions of the package when it is loaded. */
export function usePackage(functions: Package): void {
  jsonata = functions;
}

/** A variable of a frame, in a list: most frames have one or two. */
interface Binding {
  readonly name: string;
  value: unknown;
  readonly before: Binding | undefined;
  /** The position in the list, from 1. */
  readonly count: number;
}

/** A frame with more names uses a map. */
const MAX_LISTED = 8;

/** The variables of a block, a call or an expression, with those of the enclosing ones: JSONata's `createFrame`. */
export class Frame {
  /** The frame of the evaluation, which has the package's settings. */
  base: object | undefined;
  readonly #outer: Frame | undefined;
  #last: Binding | undefined = undefined;
  #map: Map<string, unknown> | undefined = undefined;

  /** @param outer null for the outermost frame */
  constructor(outer: Frame | null) {
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
    const count = (this.#last?.count ?? 0) + 1;
    this.#last = { name, value, before: this.#last, count };
    if (count <= MAX_LISTED) return;
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

/** Returns the function of a node, which is made at its first use; null if the package evaluates the node. */
export function compile(node: TreeNode): Run | null {
  if (node.run === undefined) {
    node.value = interned(node.value);
    const run = UNUSUAL.some((name) => node[name]) ? null : (KINDS.get(node.type)?.(node) ?? null);
    const selected = run && node.predicate ? filtered(run, node.predicate) : undefined;
    node.run = selected ? (input, frame) => unwrap(selected(input, frame)) : run;
  }
  return node.run;
}

/** Returns the copy of a text that V8 compares by its address. */
function interned(value: unknown): unknown {
  return typeof value === 'string' ? Object.keys({ [value]: 0 })[0] : value;
}

/** Attributes of nodes that mappings hardly use. */
const UNUSUAL = 'group keepArray keepSingletonArray tuple focus index ancestor nextFunction'.split(' ');

function runOf(node: unknown): Run {
  const child = node as TreeNode;
  return compile(child) ?? ((input, frame) => jsonata.evaluate(child, input, frame));
}

const nodesOf = (nodes: unknown): TreeNode[] => nodes as TreeNode[];

const KINDS = new Map<string, (node: TreeNode) => Run | undefined>([
  ...['string', 'number', 'value'].map((type) => [type, literal] as const),
  ['name', attribute],
  ['variable', variable],
  ['path', path],
  ['binary', binary],
  ['unary', constructed],
  ['condition', condition],
  ['block', block],
  ['bind', bind],
  ['function', call],
  ['lambda', lambda],
]);

function literal({ value }: TreeNode): Run {
  return () => value;
}

export const createSequence = (...items: unknown[]): Sequence => asSequence(items);

/** Returns what a list stands for if it is a sequence. */
function unwrap(value: unknown): unknown {
  if (!isList(value) || value.sequence !== true || value.length > 1 || value.tupleStream) return value;
  return value.length === 0 ? undefined : value.keepSingleton ? value : value[0];
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

export function lookUp(input: unknown, name: string): unknown {
  if (!isList(input)) return attributeOf(input, name);
  const found = createSequence();
  for (const item of input) {
    const value = lookUp(item, name);
    if (isList(value)) for (const element of value) found.push(element);
    else if (value !== undefined) found.push(value);
  }
  return found;
}

function attribute({ value }: TreeNode): Run {
  const name = String(value);
  return (input) => unwrap(lookUp(input, name));
}

function variable({ value }: TreeNode): Run {
  const name = String(value);
  if (name === '') return (input) => (isList(input) ? unwrap(input.outerWrapper ? input[0] : input) : input);
  return (_, frame) => unwrap(frame.lookup(name));
}

/** Adds the filters behind a value or a step. */
function filtered(run: Run, stages: unknown): Run {
  const filters = nodesOf(stages).map(({ expr }) => filter(expr as TreeNode));
  return (input, frame) => {
    let value = run(input, frame);
    for (const each of filters) value = each(value, frame);
    return value;
  };
}

/** Selects from a list by position or condition. A sequence with one value may be returned as that value. */
function filter(predicate: TreeNode): Run {
  const test = runOf(predicate);
  const position = predicate.type === 'number' ? Math.floor(Number(predicate.value)) : undefined;
  return (value, frame) => {
    if (hasAttributes(value) && value.tupleStream) return jsonata.evaluateFilter(predicate, value, frame);
    const items: readonly unknown[] = isList(value) ? value : [value];
    if (position !== undefined) return items.at(position) ?? (items.at(position) === null ? null : NONE);
    const found: unknown[] = [];
    for (let at = 0; at < items.length; at++) {
      const item = items[at];
      const result = test(item, frame);
      if (result === true) found.push(item);
      else if (typeof result === 'number' && Number.isFinite(result)) {
        if (positionIn(items, result) === at) found.push(item);
      } else if (jsonata.isArrayOfNumbers(result)) {
        for (const each of result) if (positionIn(items, each) === at) found.push(item);
      } else if (isTrue(result)) found.push(item);
    }
    const [only] = found;
    return found.length === 1 && only !== undefined && !isList(only) ? only : asSequence(found);
  };
}

const NONE = createSequence();

function positionIn({ length }: readonly unknown[], number: number): number {
  const position = Math.floor(number);
  return position < 0 ? length + position : position;
}

function asSequence(list: unknown[]): Sequence {
  const sequence: Sequence = list;
  sequence.sequence = true;
  return sequence;
}

function isTrue(value: unknown): boolean {
  return typeof value === 'boolean' ? value : (jsonata.fn.boolean(value) ?? false);
}

/** Evaluates a path step by step, without a list for a single value. */
function path({ steps }: TreeNode): Run | undefined {
  const nodes = nodesOf(steps);
  const [first] = nodes;
  const isUsual = (step: TreeNode) => step.type !== 'sort' && !UNUSUAL.some((name) => step[name]);
  // A block can return no list, although it is marked as one.
  const isOdd = first?.consarray && (first.predicate || first.type === 'block');
  if (first === undefined || !nodes.every(isUsual) || isOdd) return undefined;
  const last = nodes.length - 1;
  const runs = nodes.map((step, at) =>
    step.stages && !(at === 0 && step.consarray) ? filtered(runOf(step), step.stages) : runOf(step),
  );
  const isAbsolute = first.type === 'variable';
  const list = first.consarray ? runOf(first) : undefined;
  return (input, frame) => {
    let value = input;
    let items = isList(input) && !isAbsolute ? input : undefined;
    let at = 0;
    if (list) {
      items = list(items ?? createSequence(input), frame) as Sequence;
      if (items.length === 0 || last === 0) return items;
      at = 1;
    }
    for (; at <= last; at++) {
      const run = runs[at] as Run;
      if (items === undefined) {
        value = run(value, frame);
        if (value === undefined) return undefined;
        if (!isList(value)) continue;
        if (at === last) return value.sequence === true ? unwrap(flatten([value])) : value;
        items = value.cons ? createSequence(value) : value;
      } else {
        const found: unknown[] = [];
        for (const item of items) {
          const part = run(item, frame);
          if (part !== undefined) found.push(part);
        }
        const [only] = found;
        if (at === last && found.length === 1 && isList(only) && only.sequence !== true) return only;
        items = flatten(found);
      }
      if (items.length === 0) return undefined;
    }
    return items === undefined ? value : unwrap(items);
  };
}

function flatten(results: unknown[]): Sequence {
  if (!results.some(isList)) return asSequence(results);
  const flat = createSequence();
  for (const result of results) {
    if (!isList(result) || result.cons) flat.push(result);
    else for (const element of result) flat.push(element);
  }
  return flat;
}

/** What an operator does with two finite numbers. */
const OF_NUMBERS: Readonly<Record<string, (left: number, right: number) => unknown>> = {
  '+': (left, right) => left + right,
  '-': (left, right) => left - right,
  '*': (left, right) => left * right,
  '/': (left, right) => left / right,
  '%': (left, right) => left % right,
  '<': (left, right) => left < right,
  '<=': (left, right) => left <= right,
  '>': (left, right) => left > right,
  '>=': (left, right) => left >= right,
};

/** What an operator does with any values. */
function operation(operator: string): (left: unknown, right: unknown, frame: Frame) => unknown {
  if (operator === '=' || operator === '!=')
    return (left, right) => {
      if (typeof left === 'object' && typeof right === 'object')
        return jsonata.evaluateEqualityExpression(left, right, operator);
      return left !== undefined && right !== undefined && (left === right) === (operator === '=');
    };
  if (operator === '&') return (left, right) => toText(left) + toText(right);
  if (operator === 'in')
    return (left, right) => {
      if (left === undefined || right === undefined) return false;
      return isList(right) ? right.indexOf(left) >= 0 : right === left;
    };
  if (operator === '..')
    return (left, right, frame) => unwrap(jsonata.evaluateRangeExpression(left, right, frame));
  const ofNumbers = OF_NUMBERS[operator] as (left: number, right: number) => unknown;
  const general = '+-*/%'.includes(operator)
    ? jsonata.evaluateNumericExpression
    : jsonata.evaluateComparisonExpression;
  return (left, right) =>
    Number.isFinite(left) && Number.isFinite(right)
      ? ofNumbers(left as number, right as number)
      : general(left, right, operator);
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : value === undefined ? '' : jsonata.fn.string(value);
}

function binary(node: TreeNode): Run {
  const operator = String(node.value);
  const [left, right] = [runOf(node.lhs), runOf(node.rhs)];
  const fail = (error: unknown): never => {
    throw Object.assign(error as object, { position: node.position, token: operator });
  };
  if (operator === 'and' || operator === 'or')
    return (input, frame) => {
      const value = left(input, frame);
      try {
        const isLeft = isTrue(value);
        return isLeft === (operator === 'and') ? isTrue(right(input, frame)) : isLeft;
      } catch (error) {
        return fail(error);
      }
    };
  const operate = operation(operator);
  return (input, frame) => {
    const value = left(input, frame);
    const other = right(input, frame);
    try {
      return operate(value, other, frame);
    } catch (error) {
      return fail(error);
    }
  };
}

/** An object without inherited attributes, as JSONata makes them, but which V8 does not store as a hash table. */
class Bare {
  [name: string]: unknown;
}
Reflect.deleteProperty(Bare.prototype, 'constructor');
Object.setPrototypeOf(Bare.prototype, null);

function constructed(node: TreeNode): Run | undefined {
  return node.value === '[' ? list(node) : node.value === '{' ? object(node) : undefined;
}

function list({ expressions, consarray }: TreeNode): Run {
  const parts = nodesOf(expressions).map((node) => ({ run: runOf(node), isList: node.value === '[' }));
  return (input, frame) => {
    const made: unknown[] = [];
    for (const { run, isList: isNested } of parts) {
      const value = run(input, frame);
      if (isList(value) && !isNested) for (const element of value) made.push(element);
      else if (value !== undefined) made.push(value);
    }
    return consarray ? Object.defineProperty(made, 'cons', { value: true }) : made;
  };
}

/** Numeric names would move to the front of an object, and JSONata refuses some names. */
const PLAIN_NAME = /^(?!_jsonata_|__proto__$|\d+$)/;

function object(node: TreeNode): Run {
  const nodes = node.lhs as [TreeNode, TreeNode][];
  const pairs = nodes.map(([key, value]) => ({ name: String(interned(key.value)), run: runOf(value) }));
  const isPlain = nodes.every(
    ([key]) => key.type === 'string' && !key.predicate && !key.group && PLAIN_NAME.test(String(key.value)),
  );
  const areConstant = isPlain && new Set(pairs.map(({ name }) => name)).size === pairs.length;
  return (input, frame) => {
    const isTuple = hasAttributes(input) && input.tupleStream;
    if (!areConstant || isTuple || (isList(input) && input.length > 1))
      return jsonata.evaluateGroupExpression(node, input, frame);
    const item = isList(input) ? input[0] : input;
    const made = new Bare();
    for (let at = 0; at < pairs.length; at++) {
      const { name, run } = pairs[at] as (typeof pairs)[number];
      const value = run(item, frame);
      if (value !== undefined) made[name] = value;
    }
    return made;
  };
}

function condition(node: TreeNode): Run {
  const [test, yes] = [runOf(node.condition), runOf(node.then)];
  const no = node.else === undefined ? undefined : runOf(node.else);
  return (input, frame) => unwrap(isTrue(test(input, frame)) ? yes(input, frame) : no?.(input, frame));
}

function block({ expressions }: TreeNode): Run {
  const runs = nodesOf(expressions).map(runOf);
  const [only] = runs;
  // A value that binds nothing and calls nothing needs no frame.
  if (only && runs.length === 1 && !nodesOf(expressions).some(mayBind))
    return (input, frame) => unwrap(only(input, frame));
  return (input, frame) => {
    const own = new Frame(frame);
    let result: unknown;
    for (const run of runs) result = run(input, own);
    return unwrap(result);
  };
}

/** Whether the evaluation of a part may bind a variable in the frame around it: itself, or by `$eval`. */
function mayBind(part: unknown): boolean {
  if (!hasAttributes(part) || part instanceof RegExp) return false;
  if (isList(part)) return part.some(mayBind);
  if (typeof part.type === 'string' && !HARMLESS.has(part.type)) return true;
  return Object.values(part).some(mayBind);
}

const HARMLESS = new Set('string number value name variable path binary unary condition filter'.split(' '));

function bind({ lhs, rhs }: TreeNode): Run {
  const name = String(interned((lhs as TreeNode).value));
  const run = runOf(rhs);
  return (input, frame) => {
    const value = run(input, frame);
    frame.bind(name, value);
    return unwrap(value);
  };
}

/** A function that an expression defines. It has no side effects. */
export interface Lambda {
  _jsonata_lambda?: true;
  arguments: readonly TreeNode[];
  signature?: unknown;
  memo?: Memo | undefined;
}

interface Procedure extends Lambda {
  _jsonata_function?: true;
  implementation(this: object, ...args: unknown[]): unknown;
  signature?: Signature;
  environment: Frame;
  input: unknown;
  body: TreeNode | ((...args: unknown[]) => unknown);
  token?: unknown;
  position?: unknown;
}

/** The types of the arguments of a function. */
interface Signature {
  validate(args: unknown[], context: unknown): unknown[];
  /** The types of arguments that are passed on as they are. */
  plain?: Set<number>;
}

const TYPES = ['undefined', 'string', 'number', 'boolean', 'bigint', 'symbol', 'function', 'object'];
const MANY_TYPES = 16;

/** Returns a number for the type of a value, as signatures distinguish them. */
function typeOf(value: unknown): number {
  if (!hasAttributes(value)) return value === null ? 8 : TYPES.indexOf(typeof value);
  return isList(value) ? 9 : isFunction(value) ? 6 : 7;
}

function validate(signature: Signature, args: unknown[], context: unknown): unknown[] {
  let types = 1;
  for (let at = 0; at < args.length; at++) types = types * MANY_TYPES + typeOf(args[at]);
  signature.plain ??= new Set();
  if (signature.plain.has(types)) return args;
  const valid = signature.validate(args, context);
  if (valid === args) signature.plain.add(types);
  return valid;
}

type Failure = { token?: unknown; position?: unknown };

/** The last call of a function, which its caller makes: functions that call themselves need no stack. */
class TailCall {
  /** Expressions see a function, as in the package. */
  readonly _jsonata_lambda = true;
  readonly call: Call;
  readonly input: unknown;
  readonly frame: Frame;

  constructor(call: Call, input: unknown, frame: Frame) {
    this.call = call;
    this.input = input;
    this.frame = frame;
  }
}

interface Call {
  procedure: TreeNode;
  callee: Run;
  parameters: Run[];
}

function callOf(node: TreeNode): Call {
  const procedure = node.procedure as TreeNode;
  return { procedure, callee: runOf(procedure), parameters: nodesOf(node.arguments).map(runOf) };
}

function lambda(node: TreeNode): Run | undefined {
  for (const parameter of nodesOf(node.arguments)) parameter.value = interned(parameter.value);
  if (!node.thunk) return undefined;
  const called = callOf(node.body as TreeNode);
  return (input, frame) => new TailCall(called, input, frame);
}

function call(node: TreeNode): Run | undefined {
  const { procedure, callee, parameters } = callOf(node);
  if (procedure.type === 'path') return undefined;
  return (input, frame) => {
    const proc = callee(input, frame) as Procedure;
    const args: unknown[] = [];
    for (let at = 0; at < parameters.length; at++) {
      const value = (parameters[at] as Run)(input, frame);
      args.push(isFunction(value) ? closureOf(value, frame) : value);
    }
    try {
      if (typeof proc === 'object') {
        proc.token = procedure.value;
        proc.position = node.position;
      }
      return unwrap(apply(proc, args, input, frame));
    } catch (error) {
      const failure = error as Failure;
      failure.position ||= node.position;
      failure.token ||= procedure.value;
      throw error;
    }
  };
}

/** Makes a function of JavaScript of one of JSONata. */
function closureOf(proc: unknown, frame: Frame): (...args: unknown[]) => unknown {
  const closure = (...args: unknown[]) => apply(proc as Procedure, args, null, frame);
  return Object.assign(closure, { arity: jsonata.getFunctionArity(proc) });
}

/** Calls a function. */
export function apply(proc: Procedure, args: unknown[], input: unknown, frame: Frame): unknown {
  return proc?.memo === undefined
    ? settle(invoke(proc, args, input, frame), input, frame)
    : recall(proc, proc.memo, args, input, frame);
}

/** Makes the tail calls that a function returns. */
function settle(returned: unknown, input: unknown, frame: Frame): unknown {
  let result = returned;
  while (result instanceof TailCall) {
    const { call, input: own, frame: inside } = result;
    const { procedure, callee, parameters } = call;
    const next = callee(own, inside) as Procedure;
    if (procedure.type === 'variable') next.token = procedure.value;
    next.position = procedure.position;
    const args = parameters.map((run) => run(own, inside));
    result = next.memo === undefined ? invoke(next, args, input, frame) : apply(next, args, input, frame);
  }
  return result;
}

/** Calls a function once. It may return a tail call. */
function invoke(proc: Procedure, args: unknown[], input: unknown, frame: Frame): unknown {
  try {
    const valid = proc?.signature === undefined ? args : validate(proc.signature, args, input);
    if (proc?._jsonata_lambda === true) {
      const own = new Frame(proc.environment);
      const parameters = proc.arguments;
      for (let at = 0; at < parameters.length; at++) own.bind(String(parameters[at]?.value), valid[at]);
      if (typeof proc.body === 'function') return jsonata.applyNativeFunction(proc.body, own);
      return jsonata.evaluate(proc.body, proc.input, own);
    }
    if (proc?._jsonata_function === true) {
      const result = proc.implementation.apply({ environment: frame, input, createSequence }, valid);
      return jsonata.isIterable(result) ? result.next().value : result;
    }
    if (typeof proc === 'function') return Reflect.apply(proc, input, valid);
    throw { code: 'T1006', stack: new Error().stack };
  } catch (error) {
    const failure = error as Failure;
    if (proc) {
      if (failure.token === undefined && proc.token !== undefined) failure.token = proc.token;
      failure.position = proc.position || failure.position;
    }
    throw error;
  }
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
    const isObject = hasAttributes(argument);
    if (isObject) this.#ofObjects ??= new WeakMap();
    else this.#below ??= new Map();
    const levels:
      | { get(key: unknown): Memo | undefined; set(key: unknown, level: Memo): unknown }
      | undefined = isObject ? this.#ofObjects : this.#below;
    let level = levels?.get(argument);
    if (level === undefined) {
      level = new Memo();
      levels?.set(argument, level);
    }
    return level;
  }
}

/** Returns what a function has returned for the same arguments, or else calls it. */
function recall(proc: Procedure, memo: Memo, args: unknown[], input: unknown, frame: Frame): unknown {
  if (memo.isIdle || args.length !== proc.arguments.length || args.some(isFunction))
    return settle(invoke(proc, args, input, frame), input, frame);
  let level = memo;
  for (const arg of args) level = level.at(arg);
  memo.count(level.result !== undefined);
  level.result ??= { value: settle(invoke(proc, args, input, frame), input, frame) };
  return level.result.value;
}
