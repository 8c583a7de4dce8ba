import type { ExprNode } from 'jsonata';

/**
 * Whether an expression has the same value when it is evaluated without promises. JSONata starts the elements of a list, or the attributes
 * of an object, together: a variable that one of them binds may not be visible to the next yet. A statement of a block binds for that
 * block alone, and its statements run one after the other.
 *
 * @param root what JSONata parses the expression's text into
 */
export function isSynchronous(root: ExprNode): boolean {
  const holds = (part: unknown): boolean => {
    if (typeof part !== 'object' || part === null) return true;
    const { type, value, expressions } = part as Node;
    if (type === 'bind') return false;
    // The text it is called with may bind.
    if (type === 'variable' && value === 'eval') return false;
    return Object.values(type === 'block' ? (expressions ?? []).map(boundValue) : part).every(holds);
  };
  return holds(root);
}

/** A node as JSONata makes it; its own type does not know `$a := …`. */
type Node = Omit<ExprNode, 'type' | 'expressions' | 'rhs'> & {
  type?: string;
  expressions?: Node[];
  rhs?: Node;
};

/** What a statement evaluates: of `$a := …` the value. */
function boundValue(statement: Node): Node {
  return statement.type === 'bind' ? boundValue(statement.rhs as Node) : statement;
}
