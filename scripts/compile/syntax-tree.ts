import type { ExprNode } from 'jsonata';

/** A node of JSONata's syntax tree. The package's own type lacks most parts: which ones a node has depends on its type. */
export interface Node {
  readonly type: string;
  value?: unknown;
  position?: number;
  steps?: Node[];
  stages?: unknown;
  group?: unknown;
  expressions?: Node[];
  arguments?: Node[];
  procedure?: Node;
  body?: Node;
  then?: Node;
  else?: Node;
  /** Of an object constructor, its pairs of a name and a value. */
  lhs?: Node | readonly (readonly [Node, Node])[];
  rhs?: Node;
}

/** Whether a part of a syntax tree is a node. */
export function isNode(part: unknown): part is Node {
  return typeof part === 'object' && part !== null && 'type' in part && typeof part.type === 'string';
}

/** Returns the root of a syntax tree. @throws Error if it is none */
export function rootOf(ast: ExprNode): Node {
  if (isNode(ast)) return ast;
  throw new Error('this is not a syntax tree');
}

/** Visits a node and all nodes below it, each once. */
export function eachNode(root: ExprNode | Node, visit: (node: Node) => void): void {
  const visited = new Set<object>();
  const walk = (part: unknown): void => {
    if (typeof part !== 'object' || part === null || visited.has(part)) return;
    visited.add(part);
    if (!Array.isArray(part) && isNode(part)) visit(part);
    for (const value of Object.values(part)) walk(value);
  };
  walk(root);
}

/** Returns the name or value that a node stands for, such as that of the variable which `$a := …` binds. */
export function textOf(node: Node['lhs']): unknown {
  return isNode(node) ? node.value : undefined;
}

/** All names and texts in a syntax tree. */
export function literalsOf(root: ExprNode | Node): ReadonlySet<string> {
  const literals = new Set<string>();
  eachNode(root, ({ type, value }) => {
    if (type === 'name' || type === 'string') literals.add(String(value));
  });
  return literals;
}

/** The names of all variables in a syntax tree, without `$`. */
export function variablesOf(root: ExprNode | Node): ReadonlySet<string> {
  const variables = new Set<string>();
  eachNode(root, ({ type, value }) => {
    if (type === 'variable') variables.add(String(value));
  });
  return variables;
}

/** The table that a path begins with: `items` for `$tables.items[…]`. */
export function tablesIn({ steps }: Node): string[] {
  const [first, second] = steps ?? [];
  if (first?.type !== 'variable' || first.value !== 'tables' || second?.type !== 'name') return [];
  return [String(second.value)];
}

/** Finds the tables that an expression names; undefined if it uses `$tables` in a way that may read any table. */
export function findTablesOf(root: ExprNode | Node): ReadonlySet<string> | undefined {
  const named = new Set<string>();
  let [all, ofPaths] = [0, 0];
  eachNode(root, (node) => {
    if (node.type === 'variable' && node.value === 'tables') all++;
    if (node.type !== 'path') return;
    for (const name of tablesIn(node)) {
      named.add(name);
      ofPaths++;
    }
  });
  return all > ofPaths ? undefined : named;
}
