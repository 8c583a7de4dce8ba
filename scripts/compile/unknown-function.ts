import type { ExprNode } from 'jsonata';
import { FUNCTIONS } from './suggest-function.ts';

/** A variable that an expression uses as a function. */
export interface UnknownFunction {
  name: string;
  /** Its position in the expression's text. */
  position: number | undefined;
}

/** A node of JSONata's syntax tree, as far as it is needed here. */
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
 * Finds the first function that an expression calls or passes on and that does not exist. JSONata fails with a TypeError of its own for some
 * of them.
 *
 * @param root the expression's syntax tree
 */
export function findUnknownFunction(root: ExprNode): UnknownFunction | undefined {
  const used: UnknownFunction[] = [];
  const bound = new Set<unknown>([...FUNCTIONS, ...BOUND]);
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
