import { type Node, parseSync, visitorKeys } from 'oxc-parser';

/** A change of one expression or statement. */
export interface Mutant {
  /** From, to (exclusive), in characters. */
  start: number;
  end: number;
  text: string;
}

/** What an operator becomes. */
const OPERATORS: Readonly<Record<string, string>> = {
  '&&': '||',
  '||': '&&',
  '??': '&&',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '+': '-',
  '-': '+',
  '*': '/',
};

/** Returns all mutants of a module, in the order of their nodes. */
export function listMutants(code: string): Mutant[] {
  const mutants: Mutant[] = [];
  const visit = (node: Node) => {
    const mutant = mutate(node, code);
    if (mutant) mutants.push(mutant);
    for (const key of visitorKeys[node.type] ?? []) {
      const child = (node as unknown as Record<string, Node | (Node | null)[] | null>)[key];
      for (const each of Array.isArray(child) ? child : [child]) if (each) visit(each);
    }
  };
  visit(parseSync('module.js', code).program as Node);
  return mutants;
}

/** Applies a mutant. */
export function applyMutant(code: string, { start, end, text }: Mutant): string {
  return code.slice(0, start) + text + code.slice(end);
}

function mutate(node: Node, code: string): Mutant | undefined {
  const { start, end } = node;
  const textOf = (part: { start: number; end: number }) => code.slice(part.start, part.end);
  switch (node.type) {
    case 'LogicalExpression':
    case 'BinaryExpression': {
      const operator = OPERATORS[node.operator];
      // Another operator may bind less than its neighbours.
      if (operator === undefined) return undefined;
      return { start, end, text: `((${textOf(node.left)}) ${operator} (${textOf(node.right)}))` };
    }
    case 'UnaryExpression':
      return node.operator === '!' ? { start, end, text: `(!${textOf(node)})` } : undefined;
    case 'IfStatement':
    case 'ConditionalExpression':
      return { ...rangeOf(node.test), text: `(!(${textOf(node.test)}))` };
    case 'ReturnStatement':
      return node.argument && textOf(node.argument) !== 'undefined'
        ? { start, end, text: 'return undefined;' }
        : undefined;
    case 'ExpressionStatement':
      return node.expression.type === 'CallExpression' ? { start, end, text: ';' } : undefined;
    case 'Literal':
      return typeof node.value === 'number'
        ? { start, end, text: `(${node.value} + 1)` }
        : typeof node.value === 'boolean'
          ? { start, end, text: String(!node.value) }
          : undefined;
    default:
      return undefined;
  }
}

function rangeOf({ start, end }: { start: number; end: number }) {
  return { start, end };
}
