import type { Step } from './steps.ts';

type TreeNode = Record<string, unknown>;

/** All nodes have the same attributes in the same order, so that V8 reads them without looking them up. */
const EMPTY_NODE: TreeNode = Object.fromEntries(
  (
    'type value position steps predicate group stages keepArray keepSingletonArray consarray tuple focus index ancestor procedure ' +
    'arguments expressions expression lhs rhs condition then else body signature thunk plain constants'
  )
    .split(' ')
    .map((name) => [name, undefined]),
);

/** Attributes that a step of a plain path, and the name of a constant attribute, do not have. */
const MORE = [
  'predicate',
  'group',
  'stages',
  'keepArray',
  'keepSingletonArray',
  'consarray',
  'tuple',
  'focus',
  'index',
  'ancestor',
];

/** Copies a syntax tree that JSONata has parsed, and notes what can be evaluated faster. */
export function prepareTree(tree: unknown): unknown {
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
    // What is no node, such as a signature, stays the same object.
    if (!('type' in part)) return copyInto(part, part);
    const node: TreeNode = { ...EMPTY_NODE };
    copyInto(node, part);
    note(node);
    return node;
  };
  return copy(tree);
}

function note(node: TreeNode): void {
  const { type, value } = node;
  if (typeof value === 'string') node.value = interned(value);
  if (type === 'path') node.plain = plainSteps(node);
  if (type === 'unary' && value === '{') node.constants = constantAttributes(node);
}

/** The one copy of a text that V8 compares without looking into it. */
function interned(text: string): string {
  return Object.keys({ [text]: text })[0] ?? text;
}

function plainSteps(path: TreeNode): Step['plain'] {
  const { steps } = path;
  if (!isPlain(path) || !Array.isArray(steps)) return undefined;
  const isName = (step: TreeNode, at: number) =>
    isPlain(step) && (step.type === 'name' || (at === 0 && step.type === 'variable'));
  return steps.every(isName) ? steps : undefined;
}

function isPlain(node: TreeNode): boolean {
  return MORE.every((name) => node[name] === undefined);
}

/** Names that are numbers come first in an object, and JSONata refuses some. */
const PLAIN_NAME = /^(?!_jsonata_|__proto__$|\d+$)/;

function constantAttributes({ lhs }: TreeNode): Step['constants'] {
  if (!Array.isArray(lhs)) return undefined;
  const keys: TreeNode[] = lhs.map(([key]) => key);
  const isConstant = (key: TreeNode) =>
    key.type === 'string' && isPlain(key) && PLAIN_NAME.test(String(key.value));
  if (!keys.every(isConstant) || new Set(keys.map(({ value }) => value)).size < keys.length) return undefined;
  return lhs.map(([key, value]) => ({ name: key.value, value }));
}
