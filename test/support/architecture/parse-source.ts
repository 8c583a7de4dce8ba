import path from 'node:path';
import { type Comment, type Node, parseSync, visitorKeys } from 'oxc-parser';

/** What a source file imports: also types, what it loads later, and workers that it starts. */
export interface Import {
  /** The file, by its path in the repository, or a module such as `node:fs` or `@redis/client`. */
  target: string;
  /** Whether only types are imported, so that nothing is loaded. */
  isType: boolean;
  /** Whether it is loaded when the code asks for it, and not with the file. */
  isLater: boolean;
  line: number;
}

/** The lines of a function, an arrow function, a method or a comment. */
export interface Lines {
  name: string;
  line: number;
  lines: number;
}

/** What the checks read of a source file. */
export interface SourceFile {
  imports: Import[];
  functions: Lines[];
  /** Comments that are not doc comments and have lines of their own. */
  comments: Lines[];
  /** Uses of what differs between times, machines or processes: `Date.now`, `process`. */
  surroundings: { name: string; line: number }[];
  /** Uses of what prints, ends the process or writes to a socket: `process.exit`, `console.log`, `socket.write`. */
  outputs: { name: string; line: number }[];
  /** How many casts it has: `as T`, except `as const`. */
  casts: number;
  /** What requests are counted by: the first argument of each call that counts, and each cast to `CounterName`. */
  counted: { by: string; line: number }[];
}

/** Globals that depend on their surroundings. The language's own globals do not, except its clock and its random numbers. */
const SURROUNDINGS = new Set([
  ...['process', 'console', 'performance', 'crypto', 'navigator', 'globalThis', 'fetch', 'Worker'],
  ...['setTimeout', 'setInterval', 'setImmediate', 'Date.now', 'Date()', 'Math.random'],
]);

const OUTPUT = /^(process\.(exit|exitCode|stdout|stderr)|console\.\w+|socket\.(write|end|cork))$/;

/** The methods of a store that count. */
const COUNTING = /^(count|uncount)Request$|^(read|remove|merge)Counters$/;

/** Syntax of TypeScript that holds an expression, not a type. */
const TYPED_EXPRESSIONS = new Set(['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression']);

/**
 * Reads the imports, functions and comments of a source file.
 *
 * @param file its path in the repository
 * @throws Error if it cannot be parsed
 */
export function parseSource(file: string, text: string): SourceFile {
  const { program, comments, errors } = parseSync(file, text);
  if (errors[0]) throw new Error(`${file}: ${errors[0].message}`);
  const reader = new SourceReader(file, text);
  reader.visit(program, '', false);
  reader.readComments(comments);
  return reader.found;
}

class SourceReader {
  readonly found: SourceFile = {
    ...{ imports: [], functions: [], comments: [], surroundings: [], outputs: [], counted: [] },
    casts: 0,
  };
  readonly #file: string;
  readonly #text: string;

  constructor(file: string, text: string) {
    this.#file = file;
    this.#text = text;
  }

  /**
   * @param name what a function here is called
   * @param inType whether the node is part of a type
   */
  visit(node: Node, name: string, inType: boolean): void {
    this.#readImport(node);
    this.#readCounted(node);
    if (
      node.type === 'TSAsExpression' &&
      !this.#text.slice(node.typeAnnotation.start, node.end).startsWith('const')
    )
      this.found.casts++;
    if (!inType) {
      this.#readFunction(node, name);
      this.#readSurroundings(node);
    }
    const nameBelow = nameOf(node) ?? name;
    const isType = inType || (node.type.startsWith('TS') && !TYPED_EXPRESSIONS.has(node.type));
    for (const child of childrenOf(node)) this.visit(child, nameBelow, isType);
  }

  /** Reads comments that have lines of their own. Consecutive `//` lines are one comment. */
  readComments(comments: readonly Comment[]): void {
    for (const { value, start, end } of comments) {
      const line = this.#lineAt(start);
      const before = this.#text.slice(this.#text.lastIndexOf('\n', start) + 1, start);
      if (value.startsWith('*') || before.trim() !== '') continue;
      const last = this.found.comments.at(-1);
      const lines = this.#lineAt(end) - line + 1;
      if (last && last.line + last.lines === line) last.lines += lines;
      else this.found.comments.push({ name: value.trim(), line, lines });
    }
  }

  #readImport(node: Node): void {
    if (node.type === 'ImportDeclaration')
      this.#addImport(node, node.source.value, node.importKind === 'type');
    else if (node.type === 'ExportNamedDeclaration' && node.source)
      this.#addImport(node, node.source.value, node.exportKind === 'type');
    else if (node.type === 'ExportAllDeclaration')
      this.#addImport(node, node.source.value, node.exportKind === 'type');
    else if (node.type === 'TSImportType') this.#addImport(node, node.source.value, true);
    else if (node.type === 'ImportExpression') this.#addImport(node, textOf(node.source), false);
    else if (node.type === 'NewExpression') this.#addImport(node, workerOf(node), false);
    else if (node.type === 'CallExpression') this.#addImport(node, resolvedBy(node), false);
  }

  #addImport(node: Node, specifier: string | undefined, isType: boolean): void {
    if (specifier === undefined) return;
    const target = specifier.startsWith('.')
      ? path.posix.join(path.posix.dirname(this.#file), specifier).replace(/\.js$/, '.ts')
      : specifier;
    const isLater = node.type.endsWith('Expression');
    this.found.imports.push({ target, isType, isLater, line: this.#lineAt(node.start) });
  }

  #readFunction(node: Node, name: string): void {
    if (node.type !== 'FunctionDeclaration' && !isFunctionExpression(node)) return;
    const line = this.#lineAt(node.start);
    const lines = this.#lineAt(node.end) - line + 1;
    this.found.functions.push({ name: nameOf(node) ?? name, line, lines });
  }

  #readSurroundings(node: Node): void {
    const name = surroundingOf(node);
    if (name !== undefined && SURROUNDINGS.has(name))
      this.found.surroundings.push({ name, line: this.#lineAt(node.start) });
    const member = memberOf(node);
    if (member !== undefined && OUTPUT.test(member))
      this.found.outputs.push({ name: member, line: this.#lineAt(node.start) });
  }

  #readCounted(node: Node): void {
    const by = countedBy(node);
    if (by === undefined) return;
    const text = this.#text.slice(by.start, by.end);
    this.found.counted.push({
      by: node.type === 'TSAsExpression' ? `${text} as CounterName` : text,
      line: this.#lineAt(node.start),
    });
  }

  #lineAt(offset: number): number {
    return this.#text.slice(0, offset).split('\n').length;
  }
}

/** The nodes below a node, without the names of members and properties, which are not references. */
function childrenOf(node: Node): Node[] {
  const isNamed = 'computed' in node && !node.computed;
  const keys = (visitorKeys[node.type] ?? []).filter((key) => !isNamed || !['property', 'key'].includes(key));
  const parts = node as unknown as Record<string, Node | null | (Node | null)[]>;
  return keys.flatMap((key) => parts[key] ?? []).filter((child) => child !== null);
}

function isFunctionExpression({ type }: Node): boolean {
  return type === 'FunctionExpression' || type === 'ArrowFunctionExpression';
}

/** The name that a node gives to the functions in it. */
function nameOf(node: Node): string | undefined {
  if (node.type === 'FunctionDeclaration' || node.type === 'FunctionExpression') return node.id?.name;
  if (node.type === 'VariableDeclarator' && node.id.type === 'Identifier') return node.id.name;
  if (
    node.type === 'MethodDefinition' ||
    node.type === 'PropertyDefinition' ||
    (node.type === 'Property' && isFunctionExpression(node.value))
  ) {
    const { key } = node;
    return key.type === 'Identifier' || key.type === 'PrivateIdentifier' ? key.name : undefined;
  }
  return undefined;
}

/** The address of `new URL('./worker.ts', import.meta.url)`; its extension may be computed. Undefined if it does not lead to code. */
function workerOf(node: Node): string | undefined {
  if (node.type !== 'NewExpression') return undefined;
  const [address, base] = node.arguments;
  if (base?.type !== 'MemberExpression' || base.object.type !== 'MetaProperty') return undefined;
  if (address?.type === 'TemplateLiteral') {
    const start = address.quasis[0]?.value.cooked;
    return start && /^\..*[\w-]$/.test(start) ? `${start}.ts` : undefined;
  }
  const text = address && textOf(address);
  return text !== undefined && /^\..*\.[jt]s$/.test(text) ? text : undefined;
}

/** The module that `createRequire(…).resolve('name')` or `import.meta.resolve('name')` looks up. */
function resolvedBy(node: Node): string | undefined {
  if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression') return undefined;
  const { object, property } = node.callee;
  const looksUp =
    object.type === 'MetaProperty' ||
    (object.type === 'CallExpression' &&
      object.callee.type === 'Identifier' &&
      object.callee.name === 'createRequire');
  const [name] = node.arguments;
  if (!looksUp || property.type !== 'Identifier' || property.name !== 'resolve' || !name) return undefined;
  return textOf(name);
}

function surroundingOf(node: Node): string | undefined {
  if (node.type === 'Identifier') return node.name;
  if (node.type === 'MemberExpression' && node.object.type === 'Identifier')
    return node.property.type === 'Identifier' ? `${node.object.name}.${node.property.name}` : undefined;
  const reads = node.type === 'CallExpression' || (node.type === 'NewExpression' && !node.arguments.length);
  return reads && node.callee.type === 'Identifier' && node.callee.name === 'Date' ? 'Date()' : undefined;
}

/** A member with the name of its object: `socket.write` of `response.socket.write(…)`. */
function memberOf(node: Node): string | undefined {
  if (node.type !== 'MemberExpression' || node.property.type !== 'Identifier') return undefined;
  const { object, property } = node;
  const owner = object.type === 'MemberExpression' ? object.property : object;
  return owner.type === 'Identifier' ? `${owner.name}.${property.name}` : undefined;
}

function textOf(node: Node): string | undefined {
  return node.type === 'Literal' && typeof node.value === 'string' ? node.value : undefined;
}

/** What a node counts by, if it counts, or what it declares to be a `CounterName`. */
function countedBy(node: Node): Node | undefined {
  if (node.type === 'TSAsExpression') {
    const { typeAnnotation: type, expression } = node;
    const isName =
      type.type === 'TSTypeReference' &&
      type.typeName.type === 'Identifier' &&
      type.typeName.name === 'CounterName';
    return isName ? expression : undefined;
  }
  if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression') return undefined;
  const { property } = node.callee;
  return property.type === 'Identifier' && COUNTING.test(property.name) ? node.arguments[0] : undefined;
}
