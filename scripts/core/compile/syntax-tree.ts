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

/** The table that a path begins with: `items` for `$tables.items[…]`. */
export function tablesIn({ steps }: Node): string[] {
  const [first, second] = (steps ?? []) as Node[];
  if (first?.type !== 'variable' || first.value !== 'tables' || second?.type !== 'name') return [];
  return [String(second.value)];
}

/** Finds the tables that an expression names; undefined if it uses `$tables` in a way that may read any table. */
export function findTablesOf(root: ExprNode | Node): ReadonlySet<string> | undefined {
  const named = new Set<string>();
  let [all, ofPaths] = [0, 0];
  eachNode(root as Node, (node) => {
    if (node.type === 'variable' && node.value === 'tables') all++;
    if (node.type !== 'path') return;
    for (const name of tablesIn(node)) {
      named.add(name);
      ofPaths++;
    }
  });
  return all > ofPaths ? undefined : named;
}
