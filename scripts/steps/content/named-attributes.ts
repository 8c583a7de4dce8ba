import type { Expression } from '../../compile/expression.ts';
import { eachNode, type Node, rootOf, tablesIn, textOf } from '../../compile/syntax-tree.ts';

/** An attribute that an expression names in an object that it returns: the `'name'` of `{'name': title}`. */
export interface NamedAttribute {
  /** The names that lead to it, from the record inwards, also through lists. */
  path: readonly string[];
  /** The 1-based line of the expression's text. */
  line: number;
  /** The tables that its value is made of, and the variables that this value is made of. */
  tables: ReadonlySet<string>;
  /** Those of them whose rows are selected by a condition, as in `$tables.texts[key = $id]`. */
  filtered: ReadonlySet<string>;
  /** The names that its value reads, of whatever object. */
  reads: ReadonlySet<string>;
  /** The attributes inside it. */
  inside: readonly NamedAttribute[];
}

/** Functions that return their first argument, or elements of it. */
const SAME_SHAPE = new Set(['append', 'distinct', 'filter', 'first', 'last', 'reverse', 'single', 'sort']);
/** Functions that return what the function in their second argument returns. */
const MAPPED_SHAPE = new Set(['map', 'each', 'reduce']);

const attributesOfExpressions = new WeakMap<Expression, readonly NamedAttribute[]>();

/** The attributes of the objects that an expression returns, as far as its text shows them. Names that are computed are left out. */
export function namedIn(expression: Expression): readonly NamedAttribute[] {
  const { ast, text, helpers } = expression.parsed;
  const attributes =
    attributesOfExpressions.get(expression) ??
    new NameFinder(rootOf(ast), text, helpers && rootOf(helpers)).find();
  attributesOfExpressions.set(expression, attributes);
  return attributes;
}

/** Follows an expression to the objects that it returns. Variables have one value in a mapping, whatever block binds them. */
class NameFinder {
  readonly #root: Node;
  readonly #text: string;
  readonly #bound = new Map<string, Node[]>();
  /** The variables that are being followed: a function may call itself. */
  readonly #open = new Set<unknown>();

  constructor(root: Node, text: string, helpers: Node | undefined) {
    this.#root = root;
    this.#text = text;
    for (const tree of helpers ? [root, helpers] : [root]) {
      eachNode(tree, (node) => {
        if (node.type !== 'bind') return;
        const name = String(textOf(node.lhs));
        this.#bound.set(name, [...(this.#bound.get(name) ?? []), ...(node.rhs ? [node.rhs] : [])]);
      });
    }
  }

  find(): NamedAttribute[] {
    return this.#attributesOf(this.#root, []);
  }

  /** The attributes of the objects that a node returns, each name once. */
  #attributesOf(node: Node, path: readonly string[]): NamedAttribute[] {
    const attributes = new Map<string, NamedAttribute>();
    for (const object of this.#objectsOf(node)) {
      for (const [key, value] of Array.isArray(object.lhs) ? object.lhs : []) {
        const name = String(key.value);
        // A name that two objects have may come from either of them.
        if (key.type === 'string')
          attributes.set(name, attributes.get(name) ?? this.#describe(key, value, [...path, name]));
      }
    }
    return [...attributes.values()];
  }

  #describe(key: Node, value: Node, path: readonly string[]): NamedAttribute {
    const tables = new Set<string>();
    const filtered = new Set<string>();
    const reads = new Set<string>();
    this.#collect(value, { tables, filtered, reads }, new Set());
    const line = this.#text.slice(0, key.position).split('\n').length;
    return { path, line, tables, filtered, reads, inside: this.#attributesOf(value, path) };
  }

  /** The object constructors whose results a node returns, alone or in a list. */
  #objectsOf(node: Node | undefined): Node[] {
    if (node === undefined || this.#open.has(node)) return [];
    this.#open.add(node);
    const objects = this.#objectsIn(node);
    this.#open.delete(node);
    return objects;
  }

  #objectsIn(node: Node): Node[] {
    const all = (nodes: readonly Node[] = []) => nodes.flatMap((part) => this.#objectsOf(part));
    switch (node.type) {
      case 'unary':
        if (node.value === '{') return [node];
        return node.value === '[' ? all(node.expressions) : [];
      case 'path':
        return node.group === undefined ? this.#objectsOf(node.steps?.at(-1)) : [];
      case 'block':
        return this.#objectsOf(node.expressions?.at(-1));
      case 'condition':
        return all([node.then, node.else].filter((part) => part !== undefined));
      case 'variable':
        return all(this.#bound.get(String(node.value)) ?? []);
      case 'lambda':
        return this.#objectsOf(node.body);
      case 'apply':
        return this.#objectsOf(node.rhs);
      case 'function':
        return this.#objectsOfCall(node);
      default:
        return [];
    }
  }

  #objectsOfCall({ procedure, arguments: args = [] }: Node): Node[] {
    const name = String(procedure?.value);
    if (name === 'merge') return this.#objectsOf(args[0]);
    if (MAPPED_SHAPE.has(name))
      return args.flatMap((part) => (part.type === 'lambda' ? this.#objectsOf(part) : []));
    if (SAME_SHAPE.has(name)) return this.#objectsOf(args[0]);
    return this.#objectsOf(procedure);
  }

  /** Adds the tables and names that a node reads. A variable stands for what it is bound to. */
  #collect(
    node: Node,
    names: Record<'tables' | 'filtered' | 'reads', Set<string>>,
    followed: Set<string>,
  ): void {
    eachNode(node, (part) => {
      if (part.type === 'path') {
        for (const name of tablesIn(part)) {
          names.tables.add(name);
          if (part.steps?.[1]?.stages !== undefined) names.filtered.add(name);
        }
      }
      if (part.type === 'name') names.reads.add(String(part.value));
      const variable = String(part.value);
      if (part.type !== 'variable' || followed.has(variable)) return;
      followed.add(variable);
      for (const bound of this.#bound.get(variable) ?? []) this.#collect(bound, names, followed);
    });
  }
}
