import type { ExprNode } from 'jsonata';

/** A node of JSONata's syntax tree. The package's own type lacks most parts: which ones a node has depends on its type. */
export type Node = Omit<ExprNode, 'type' | 'value'> & { type: string; value?: unknown } & Record<
    string,
    unknown
  >;

/** Visits a node and all nodes below it, each once. */
export function eachNode(node: Node, visit: (node: Node) => void): void {
  const visited = new Set<object>();
  const walk = (part: unknown): void => {
    if (typeof part !== 'object' || part === null || visited.has(part)) return;
    visited.add(part);
    if (!Array.isArray(part) && typeof (part as Node).type === 'string') visit(part as Node);
    for (const value of Object.values(part)) walk(value);
  };
  walk(node);
}

/** All names and texts in a syntax tree. */
export function literalsOf(root: ExprNode | Node): ReadonlySet<string> {
  const literals = new Set<string>();
  eachNode(root as Node, ({ type, value }) => {
    if (type === 'name' || type === 'string') literals.add(String(value));
  });
  return literals;
}

/** The names of all variables in a syntax tree, without `$`. */
export function variablesOf(root: ExprNode | Node): ReadonlySet<string> {
  const variables = new Set<string>();
  eachNode(root as Node, ({ type, value }) => {
    if (type === 'variable') variables.add(String(value));
  });
  return variables;
}
