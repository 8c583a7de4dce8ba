import type { ExprNode } from 'jsonata';

/**
 * Whether an expression has the same value without promises. JSONata starts the elements of a list, or the attributes of an object, together:
 * a variable that one of them binds may not yet be visible to the next. In a block, statements run one after the other and bind variables
 * only for that block.
 *
 * @param root what JSONata parses the expression's text into
 */
export function isSynchronous(root: ExprNode): boolean {
  const holds = (part: unknown): boolean => {
    if (typeof part !== 'object' || part === null) return true;
    const { type, value, expressions } = part as Node;
    if (type === 'bind') return false;
    // The text that is evaluated may bind a variable.
    if (type === 'variable' && value === 'eval') return false;
    return Object.values(type === 'block' ? (expressions ?? []).map(boundValue) : part).every(holds);
  };
  return holds(root);
}

/** A node of JSONata's syntax tree. The package's own type lacks `$a := …`. */
type Node = Omit<ExprNode, 'type' | 'expressions' | 'rhs'> & {
  type?: string;
  expressions?: Node[];
  rhs?: Node;
};

/** The expression that a statement evaluates: the right-hand side of `$a := …`, otherwise the statement. */
function boundValue(statement: Node): Node {
  return statement.type === 'bind' ? boundValue(statement.rhs as Node) : statement;
}
