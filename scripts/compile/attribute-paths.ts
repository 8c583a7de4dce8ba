import type { ExprNode } from 'jsonata';

/** Attributes that an expression reads of its row, from the row inwards, and where it does. */
export interface AttributePath {
  names: readonly string[];
  /** The 1-based line of the expression's text. */
  line: number;
}

/** A node as JSONata makes it; its own type knows neither paths nor what can stand beside a step. */
type Node = Omit<ExprNode, 'type'> & {
  type: string;
  predicate?: unknown;
  index?: unknown;
  focus?: unknown;
};

/** Where a node holds expressions that are evaluated on the same row as itself. */
const SAME_ROW = [
  ...(['expression', 'expressions', 'lhs', 'rhs', 'procedure', 'arguments', 'body'] as const),
  ...(['condition', 'then', 'else'] as const),
];

/**
 * Finds the attributes that an expression reads of its row by name; what it reads of anything else, or by a computed name, is left out.
 *
 * @param root what JSONata makes of `text`
 */
export function findAttributePaths(root: ExprNode, text: string): AttributePath[] {
  const paths: AttributePath[] = [];
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) for (const element of node) visit(element);
    else if (typeof node === 'object' && node !== null) visitNode(node as Node);
  };
  const visitNode = (node: Node): void => {
    if (node.type !== 'path') {
      for (const name of SAME_ROW) visit((node as unknown as Record<string, unknown>)[name]);
      return;
    }
    const [first, ...others] = node.steps as [Node, ...Node[]];
    const names = namesOf(isRow(first) ? others : [first, ...others]);
    if (names.length > 0) paths.push({ names, line: text.slice(0, first.position).split('\n').length });
    // Only the first step of a path is evaluated on the row; a name has nothing below it.
    if (first.type !== 'name') visit(first);
  };
  visit(root);
  return paths;
}

/** `$` and `$$`. */
function isRow({ type, value, predicate }: Node): boolean {
  return type === 'variable' && (value === '' || value === '$') && predicate === undefined;
}

/** The names that a path begins with, as far as each is read of whatever the one before gives. */
function namesOf(steps: readonly Node[]): string[] {
  const names: string[] = [];
  for (const { type, value, predicate, stages, index, focus } of steps) {
    if (type !== 'name') break;
    names.push(value as string);
    if (predicate ?? stages ?? index ?? focus) break;
  }
  return names;
}
