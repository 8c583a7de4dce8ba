import type { Frame } from './frame.ts';

/** A node of a syntax tree, as far as it is read here. */
export interface Step {
  type: string;
  /** Of a name or a variable, its text. */
  value: string;
  /** Of a path, its steps, if it has only names after its first one. */
  plain?: readonly Step[];
  /** Of an object constructor, its attributes, if their names are constants. */
  constants?: readonly { name: string; value: Step }[];
}

/** JSONata's `evaluate`. */
export type Evaluate = (step: Step, input: unknown, frame: Frame) => unknown;

/** A list as JSONata makes it: a value with several parts, which is taken apart where a value is expected. */
interface Sequence extends Array<unknown> {
  sequence?: boolean;
  keepSingleton?: boolean;
  tupleStream?: boolean;
  cons?: boolean;
}

/** An object, or a function as JSONata makes it. */
interface Attributes {
  [name: string]: unknown;
  _jsonata_function?: unknown;
  _jsonata_lambda?: unknown;
  tupleStream?: unknown;
}

function isList(value: unknown): value is Sequence {
  return Array.isArray(value);
}

function hasAttributes(value: unknown): value is Attributes {
  return typeof value === 'object' && value !== null;
}

/** JSONata's `createSequence`, without its limit of the length. */
export function createSequence(...items: unknown[]): Sequence {
  const sequence: Sequence = items;
  sequence.sequence = true;
  return sequence;
}

/** JSONata's `isFunction`. */
export function isFunction(value: unknown): boolean {
  if (!hasAttributes(value)) return typeof value === 'function';
  return value._jsonata_function === true || value._jsonata_lambda === true;
}

/** JSONata's `lookup` in a value that is not a list. An attribute behind a proxy is read once. */
export function attributeOf(input: unknown, name: string): unknown {
  if (!hasAttributes(input)) return undefined;
  const value = input[name];
  if (value === undefined || (name in Object.prototype && !Object.hasOwn(input, name))) return undefined;
  return isFunction(input) ? undefined : value;
}

/** Evaluates a path of names, as `evaluatePath` does, without making a list for each step. */
export function walkPath(steps: readonly Step[], input: unknown, frame: Frame, evaluate: Evaluate): unknown {
  let value = input;
  let items = isList(input) && steps[0]?.type === 'name' ? input : undefined;
  for (const [at, step] of steps.entries()) {
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
  return isList(value) ? unwrap(value) : value;
}

/** What JSONata makes of a result: a sequence of one value is that value. */
function unwrap(result: Sequence): unknown {
  if (result.sequence !== true || result.tupleStream) return result;
  if (result.length === 0) return undefined;
  return result.length === 1 && !result.keepSingleton ? result[0] : result;
}

/** The elements of results, in one sequence. */
export function flatten(results: readonly unknown[]): Sequence {
  const flat = createSequence();
  for (const result of results) {
    if (!isList(result) || result.cons) flat.push(result);
    else for (const element of result) flat.push(element);
  }
  return flat;
}

/** An object that has no attributes but its own, as JSONata makes them. V8 does not keep it as a hash table. */
class Bare {
  [name: string]: unknown;
}
Reflect.deleteProperty(Bare.prototype, 'constructor');
Object.setPrototypeOf(Bare.prototype, null);

/** Evaluates `{…}` with constant names for a single value, as `evaluateGroupExpression` does. */
export function makeObject({ constants = [] }: Step, input: unknown, frame: Frame, evaluate: Evaluate): Bare {
  const item = isList(input) ? input[0] : input;
  const object = new Bare();
  for (const { name, value } of constants) {
    const made = evaluate(value, item, frame);
    if (made !== undefined) object[name] = made;
  }
  return object;
}

/** Whether `{…}` is evaluated once, and not for each of several values. */
export function isSingle(input: unknown): boolean {
  if (isList(input) && input.length > 1) return false;
  return !hasAttributes(input) || !input.tupleStream;
}

/** Appends the value of an element to a list that `[…]` makes. */
export function appendTo(list: unknown[], value: unknown): void {
  if (!isList(value)) list.push(value);
  else for (const element of value) list.push(element);
}

/** A parameter of a function, as JSONata parses it. */
interface Parameter {
  type: string;
  subtype?: string;
  context?: boolean;
}

/** What a signature does with arguments of certain types. */
interface Validation {
  match: RegExpExecArray | null;
  /** How many arguments the function gets, if they are those of the caller and then nothing. */
  passed: number | undefined;
}

/** @param match of the signature's pattern with the types of the arguments, a letter for each */
export function validationOf(match: RegExpExecArray | null, parameters: readonly Parameter[]): Validation {
  if (match === null) return { match, passed: undefined };
  const [types = '', ...matched] = match;
  const isPassed = parameters.every(({ type, subtype, context }, at) => {
    if (at >= types.length) return !context;
    const letter = matched[at] ?? '';
    return letter.length === 1 && (type !== 'a' || (letter === 'a' && subtype === undefined));
  });
  return { match, passed: isPassed ? parameters.length : undefined };
}

/** Arguments, and nothing for those that are missing. */
export function pass(given: readonly unknown[], passed: number): readonly unknown[] {
  if (given.length >= passed) return given;
  return [...given, ...Array<undefined>(passed - given.length)];
}
