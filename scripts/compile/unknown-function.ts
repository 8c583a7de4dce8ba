import type { ExprNode } from 'jsonata';
import { FUNCTIONS } from './suggest-function.ts';

/** A variable that an expression uses as a function. */
export interface UnknownFunction {
  name: string;
  /** Its position in the expression's text. */
  position: number | undefined;
}

/** The properties of a node of JSONata's syntax tree that are used here. */
interface Node {
  type?: string;
  value?: unknown;
  position?: number;
  lhs?: Node;
  procedure?: Node;
  arguments?: Node[];
  focus?: unknown;
  index?: unknown;
}

/** The variables that every evaluation binds, and those of JSONata itself: `$`, `$$`. */
const BOUND = ['key', 'tables', '', '$'];

/**
 * Finds the first function that does not exist among those that an expression calls or passes as an argument. For some of them, JSONata
 * would only throw a TypeError.
 *
 * @param root the expression's syntax tree
 * @param helpers the functions that the game defines
 */
export function findUnknownFunction(
  root: ExprNode,
  helpers: Iterable<string> = [],
): UnknownFunction | undefined {
  const used: UnknownFunction[] = [];
  const bound = new Set<unknown>([...FUNCTIONS, ...BOUND, ...helpers]);
  const use = (node: Node | undefined): void => {
    if (node?.type === 'variable') used.push({ name: String(node.value), position: node.position });
  };
  const visit = (part: unknown): void => {
    if (typeof part !== 'object' || part === null) return;
    const node = part as Node;
    if (node.type === 'bind') bound.add(node.lhs?.value);
    if (node.type === 'lambda') for (const parameter of node.arguments ?? []) bound.add(parameter.value);
    else use(node.procedure);
    if (node.type === 'function') for (const argument of node.arguments ?? []) use(argument);
    bound.add(node.focus).add(node.index);
    for (const below of Object.values(part)) visit(below);
  };
  visit(root);
  return used.find(({ name }) => !bound.has(name));
}
