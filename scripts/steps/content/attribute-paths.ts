import type { ExprNode } from 'jsonata';
import type { Expression } from '../../compile/expression.ts';

/** An attribute that an expression reads from its row: the names that lead to it, from the row inwards. */
export interface AttributePath {
  names: readonly string[];
  /** The 1-based line of the expression's text. */
  line: number;
}

/** A node of JSONata's syntax tree. The package's own type lacks paths and the parts of a step. */
type Node = Omit<ExprNode, 'type'> & {
  type: string;
  predicate?: unknown;
  index?: unknown;
  focus?: unknown;
};

/** The parts of a node that are evaluated on the same row as the node. */
const SAME_ROW = [
  ...(['expression', 'expressions', 'lhs', 'rhs', 'procedure', 'arguments', 'body'] as const),
  ...(['condition', 'then', 'else'] as const),
];

const pathsOfExpressions = new WeakMap<Expression, readonly AttributePath[]>();

/** The attributes that an expression reads from its row by name. Attributes with computed names, and those of other values, are left out. */
export function readsOf(expression: Expression): readonly AttributePath[] {
  const paths = pathsOfExpressions.get(expression) ?? findAttributePaths(expression);
  pathsOfExpressions.set(expression, paths);
  return paths;
}

function findAttributePaths({ parsed: { ast, text } }: Expression): AttributePath[] {
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
    // Only the first step of a path is evaluated on the row. A name has no parts.
    if (first.type !== 'name') visit(first);
  };
  visit(ast);
  return paths;
}

/** `$` and `$$`. */
function isRow({ type, value, predicate }: Node): boolean {
  return type === 'variable' && (value === '' || value === '$') && predicate === undefined;
}

/** The names at the beginning of a path, until a step that is more than a name. */
function namesOf(steps: readonly Node[]): string[] {
  const names: string[] = [];
  for (const { type, value, predicate, stages, index, focus } of steps) {
    if (type !== 'name') break;
    names.push(value as string);
    if (predicate ?? stages ?? index ?? focus) break;
  }
  return names;
}
