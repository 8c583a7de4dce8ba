import type { ExprNode } from 'jsonata';
import { errorAt, type Finding, type Place } from '../findings.ts';
import { once } from '../system.ts';
import { type Lambda, Memo } from './closures.ts';
import { type Parsed, parseJsonata } from './jsonata.ts';
import { addFunctions, CHANGING, FUNCTIONS, suggestFunction } from './library.ts';

/** A node of JSONata's syntax tree. The package's type lacks most parts, which depend on the type of the node. */
export interface Node {
  readonly type: string;
  value?: unknown;
  position?: number;
  steps?: Node[];
  group?: unknown;
  focus?: unknown;
  index?: unknown;
  expressions?: Node[];
  arguments?: Node[];
  procedure?: Node;
  body?: Node;
  then?: Node;
  else?: Node;
  /** Of an object constructor: its pairs of name and value. */
  lhs?: Node | readonly (readonly [Node, Node])[];
  rhs?: Node;
}

function isNode(part: unknown): part is Node {
  return typeof part === 'object' && part !== null && 'type' in part && typeof part.type === 'string';
}

/** @throws Error if it is not a syntax tree */
export function rootOf(ast: ExprNode): Node {
  if (isNode(ast)) return ast;
  throw new Error('this is not a syntax tree');
}

/** Visits a node and all nodes below it, each once. */
function eachNode(root: ExprNode | Node, visit: (node: Node) => void): void {
  const visited = new Set<object>();
  const walk = (part: unknown): void => {
    if (typeof part !== 'object' || part === null || visited.has(part)) return;
    visited.add(part);
    if (!Array.isArray(part) && isNode(part)) visit(part);
    for (const value of Object.values(part)) walk(value);
  };
  walk(root);
}

/** Returns the name or value of a node, such as the name of the variable that `$a := …` binds. */
function textOf(node: Node['lhs']): unknown {
  return isNode(node) ? node.value : undefined;
}

/** What an expression reads. */
interface Named {
  /** The names of variables, without `$`. */
  variables: ReadonlySet<string>;
  /** The tables that its paths begin with, as `$tables.items[…]`; undefined if it may read any table. */
  tables: ReadonlySet<string> | undefined;
}

/** @returns also the position of the first mention of each table */
function namedIn(root: ExprNode | Node): Named & { mentions: ReadonlyMap<string, number> } {
  const [variables, mentions] = [new Set<string>(), new Map<string, number>()];
  let [all, ofPaths] = [0, 0];
  eachNode(root, ({ type, value, steps: [first, second] = [] }) => {
    if (type === 'variable') variables.add(String(value));
    if (type === 'variable' && (value === 'tables' || value === 'eval')) all++;
    if (first?.type !== 'variable' || first.value !== 'tables' || second?.type !== 'name') return;
    const name = String(second.value);
    mentions.set(name, mentions.get(name) ?? second.position ?? 0);
    ofPaths++;
  });
  return { variables, mentions, tables: all > ofPaths ? undefined : new Set(mentions.keys()) };
}

/** Finds the first mention of each table in an expression or in helpers. */
export function tablesIn(
  { text, ast }: Expression['parsed'],
  place: Place,
): { name: string; place: Place }[] {
  return [...namedIn(ast).mentions].map(([name, position]) => {
    const before = text.slice(0, position % HELPER_POSITIONS);
    return { name, place: atLine(place, before.split('\n').length) };
  });
}

/** Whether a part of an expression reads a table, itself or through variables that the expression binds. */
export function readsTable(root: Node, part: Node): boolean {
  const bound = new Map<unknown, Node>();
  eachNode(root, ({ type, lhs, rhs }) => {
    if (type === 'bind' && !Array.isArray(lhs) && rhs) bound.set(textOf(lhs), rhs);
  });
  const seen = new Set<string>();
  const reads = (node: Node): boolean =>
    [...namedIn(node).variables].some((name) => {
      const value = seen.has(name) ? undefined : bound.get(name);
      seen.add(name);
      return name === 'tables' || (value !== undefined && reads(value));
    });
  return reads(part);
}

/** The functions that exist, the variables that every evaluation binds, and JSONata's own: `$`, `$$`. */
const GIVEN: readonly string[] = [...FUNCTIONS, ...CHANGING, 'key', 'tables', '', '$'];

/**
 * Finds the first function, called or passed as an argument, that does not exist. For some of them, JSONata would throw only a TypeError, and only if
 * a row needs them.
 *
 * @param helpers the functions that the game defines
 */
function findUnknownFunction(root: ExprNode, helpers: Iterable<string> = []): JsonataError | undefined {
  const used: Node[] = [];
  const bound = new Set<unknown>([...GIVEN, ...helpers]);
  eachNode(root, (node) => {
    const parameters = node.arguments ?? [];
    if (node.type === 'bind') bound.add(textOf(node.lhs));
    if (node.type === 'lambda') for (const { value } of parameters) bound.add(value);
    else if (node.procedure) used.push(node.procedure);
    if (node.type === 'function') used.push(...parameters);
    bound.add(node.focus).add(node.index);
  });
  const unknown = used
    .filter(({ type, value }) => type === 'variable' && !bound.has(value))
    .sort((a, b) => (a.position ?? 0) - (b.position ?? 0))[0];
  return unknown && { ...unknown, message: suggestFunction(String(unknown.value), helpers) };
}

/** Added to the positions in helpers, to distinguish their errors from those of the expression. */
const HELPER_POSITIONS = 2 ** 40;

const EXPECTED =
  'functions and data with names of their own, each as $name := function($argument) { … }; or $name := …;';

/**
 * Parses the functions and data that a game's expressions share. @returns them, or a finding
 *
 * @param text `$name := function(…) { … };` for each function and `$name := …;` for data, with or without parentheses around everything
 */
export function compileSharedFunctions(
  text: string,
  place: Place,
): { value: Helpers } | { finding: Finding } {
  const wrapped = `(${text}\n)`;
  try {
    const helpers = new Helpers(wrapped, place);
    const finding = helpers.findFault();
    return finding ? { finding } : { value: helpers };
  } catch (error) {
    const finding = syntaxFinding(error, wrapped, place);
    // If a text ends too early, JSONata reports a fault in the line that is appended to it.
    const line = Math.min(finding.place.line ?? 1, text.split('\n').length);
    return { finding: { ...finding, place: { ...finding.place, line } } };
  }
}

/** The functions and data that all expressions of a game share, in one file. */
export class Helpers {
  /** Line 1 of the file. */
  readonly place: Place;
  readonly text: string;
  /** The syntax tree; its positions are those in `text` plus `HELPER_POSITIONS`. */
  readonly ast: ExprNode;
  readonly #definitions: ReadonlyMap<string, Node>;
  /** The results of each function. */
  readonly #memos = new Map<string, Memo>();
  #parsed: Parsed | undefined;
  #evaluated: { tables: unknown; functions: Readonly<Record<string, unknown>> } | undefined;

  /** @throws JSONata's exception for a syntax error */
  constructor(text: string, place: Place) {
    this.text = text;
    this.place = place;
    this.ast = moved(parseJsonata(text).ast());
    const definitions = statementsOf(this.ast).filter(({ type }) => type === 'bind');
    this.#definitions = new Map(definitions.map((node) => [nameOf(node), node.rhs ?? node]));
  }

  get names(): ReadonlySet<string> {
    return new Set(this.#definitions.keys());
  }

  /** Returns the first statement that defines nothing new, or that uses an unknown function. */
  findFault(): Finding | undefined {
    const seen = new Set<string>(GIVEN);
    for (const statement of statementsOf(this.ast)) {
      const name = nameOf(statement);
      if (statement.type !== 'bind') return this.#fault(statement, 'a statement that defines nothing');
      if (seen.has(name)) return this.#fault(statement, `a second $${name}`);
      seen.add(name);
    }
    const unknown = findUnknownFunction(this.ast);
    return unknown && this.#fault(unknown, unknown.message ?? UNKNOWN);
  }

  #fault({ position = HELPER_POSITIONS }: Pick<Node, 'position'>, found: string): Finding {
    const before = this.text.slice(0, position - HELPER_POSITIONS);
    return errorAt('expression-syntax', atLine(this.place, before.split('\n').length), found, EXPECTED);
  }

  /** Returns what an expression reads that uses these variables, also through functions that call others. */
  reachedFrom(variables: ReadonlySet<string>): Named {
    const reached = new Set<string>();
    let tables: ReadonlySet<string> | undefined = new Set();
    const follow = (used: ReadonlySet<string>): void => {
      for (const name of used) {
        const definition = reached.has(name) ? undefined : this.#definitions.get(name);
        if (definition === undefined) continue;
        reached.add(name);
        const named = namedIn(definition);
        tables = union(named.tables, tables);
        follow(named.variables);
      }
    };
    follow(variables);
    return { variables: reached, tables };
  }

  /** Returns the functions and data for the tables of a build, evaluated once per object of tables. */
  functionsFor(tables: unknown): Readonly<Record<string, unknown>> {
    if (this.#evaluated === undefined || this.#evaluated.tables !== tables) {
      this.#parsed ??= this.#prepare();
      const functions = this.#parsed.evaluate(undefined, { tables }) as Readonly<Record<string, unknown>>;
      for (const [name, value] of Object.entries(functions)) this.#remember(name, value as Lambda | null);
      this.#evaluated = { tables, functions };
    }
    return this.#evaluated.functions;
  }

  /** Lets a function keep its results: for all builds, unless it reads tables. One that calls itself could not call deep. */
  #remember(name: string, value: Lambda | null): void {
    const definition = this.#definitions.get(name);
    if (!value?._jsonata_lambda || value.signature !== undefined || value.arguments.length === 0) return;
    if (definition === undefined) return;
    const { variables, tables } = this.reachedFrom(namedIn(definition).variables);
    if (variables.has(name)) return;
    const isSame = tables?.size === 0 && namedIn(definition).tables?.size === 0;
    value.memo = (isSame && this.#memos.get(name)) || new Memo();
    this.#memos.set(name, value.memo);
  }

  /** Makes the block of definitions return an object of all functions. */
  #prepare(): Parsed {
    const parsed = addFunctions(parseJsonata(this.text));
    const all = [...this.names].map((name) => `${JSON.stringify(name)}: $${name}`).join(', ');
    statementsOf(moved(parsed.ast())).push(rootOf(parseJsonata(`{${all}}`).ast()));
    return parsed;
  }
}

/** Shifts the positions in a syntax tree. */
function moved(ast: ExprNode): ExprNode {
  eachNode(ast, (node) => {
    if (node.position !== undefined) node.position += HELPER_POSITIONS;
  });
  return ast;
}

/** The statements of a file, as a list to which statements can be added. The file may have its own parentheses around them. */
function statementsOf(ast: ExprNode): Node[] {
  let block = rootOf(ast);
  while (block.expressions?.length === 1 && block.expressions[0]?.type === 'block')
    block = block.expressions[0];
  block.expressions ??= [];
  return block.expressions;
}

function nameOf({ lhs }: Node): string {
  return String(textOf(lhs));
}

/** An expression cannot be parsed, or failed on a value. */
export class ExpressionError extends Error {
  /** The 1-based line in the expression's text, if known. */
  readonly line: number | undefined;
  /** The place in a shared function, if it failed there. */
  readonly helper: Place | undefined;

  constructor(message: string, line: number | undefined, helper?: Place) {
    super(message);
    this.line = line;
    this.helper = helper;
  }
}

/** JSONata's own errors are plain objects with these fields (jsonata.js, `errorCodes`). */
interface JsonataError {
  code?: string;
  message?: string;
  position?: number;
  /** The name of the function or other part that failed. */
  token?: string;
}

/**
 * Parses an expression, which may call functions of the library and of `helpers`.
 *
 * @returns the expression, or a finding about its syntax error: at `place`, or at the line of the expression's own file
 */
export function compileExpression(
  text: string,
  place: Place,
  helpers?: Helpers,
): { value: Expression } | { finding: Finding } {
  try {
    const parsed = addFunctions(parseJsonata(text));
    const unknown = findUnknownFunction(parsed.ast(), helpers?.names);
    if (unknown) return { finding: syntaxFinding(unknown, text, place) };
    return { value: new Expression(text, place, parsed, helpers) };
  } catch (error) {
    return { finding: syntaxFinding(error, text, place) };
  }
}

function syntaxFinding(error: unknown, text: string, place: Place): Finding {
  const { message, line } = describe(error as JsonataError, text);
  const at = line === undefined ? place : atLine(place, line);
  return errorAt('expression-syntax', at, message, 'a JSONata expression (https://docs.jsonata.org)');
}

/** A parsed JSONata expression. */
export class Expression {
  /** Its place in game.json, or line 1 of its own file. */
  readonly place: Place;
  readonly #text: string;
  readonly #parsed: Parsed;
  readonly #ast: ExprNode;
  readonly #helpers: Helpers | undefined;
  /** The helpers that it calls, and the tables that it reads, also through them. */
  readonly #reached: () => Named;
  /** The tables for which the helpers were bound. */
  #bound: { tables: unknown } | undefined;

  constructor(text: string, place: Place, parsed: Parsed, helpers: Helpers | undefined) {
    this.place = place;
    this.#text = text;
    this.#parsed = parsed;
    this.#ast = parsed.ast();
    this.#helpers = helpers;
    this.#reached = once(() => {
      const { variables, tables } = namedIn(this.#ast);
      const called = helpers?.reachedFrom(variables);
      return {
        variables: called?.variables ?? new Set(),
        tables: called ? union(tables, called.tables) : tables,
      };
    });
  }

  get parsed(): { text: string; ast: ExprNode } {
    return { text: this.#text, ast: this.#ast };
  }

  /** The tables that it names; undefined if it may read any table. */
  get tables(): ReadonlySet<string> | undefined {
    return this.#reached().tables;
  }

  /**
   * @param context the value of `$`
   * @param bindings variables by name, without `$`
   * @returns a JavaScript value; undefined if the expression selects nothing
   * @throws ExpressionError if it fails on this context
   */
  evaluate(context: unknown, bindings: Record<string, unknown>): unknown {
    try {
      this.#bind(bindings.tables);
      return this.#parsed.evaluate(context, bindings);
    } catch (error) {
      throw this.#describe(error as JsonataError);
    }
  }

  /** Binds the helpers that it calls. */
  #bind(tables: unknown): void {
    if (this.#helpers === undefined || this.#bound?.tables === tables) return;
    if (this.#reached().variables.size > 0)
      for (const [name, implementation] of Object.entries(this.#helpers.functionsFor(tables)))
        this.#parsed.assign(name, implementation);
    this.#bound = { tables };
  }

  #describe(error: JsonataError): ExpressionError {
    const { position = 0 } = error;
    if (this.#helpers === undefined || position < HELPER_POSITIONS) {
      const { message, line } = describe(error, this.#text);
      return new ExpressionError(message, line);
    }
    const { code, message: said, token } = error;
    const inHelpers = { code, message: said, token, position: position - HELPER_POSITIONS } as JsonataError;
    const { message, line = 1 } = describe(inHelpers, this.#helpers.text);
    return new ExpressionError(message, undefined, atLine(this.#helpers.place, line));
  }
}

function union(
  names: ReadonlySet<string> | undefined,
  more: ReadonlySet<string> | undefined,
): ReadonlySet<string> | undefined {
  return names && more && new Set([...names, ...more]);
}

/** Returns the place of a line, if the expression has its own file; otherwise its place in game.json. */
export function atLine(place: Place, line: number): Place {
  return place.line === undefined ? place : { ...place, line };
}

/** The place of an expression, for messages. */
export function describePlace({ place }: Pick<Expression, 'place'>, line = place.line): string {
  return place.line === undefined ? `${place.pointer} in ${place.file}` : `${place.file}:${line}`;
}

const UNKNOWN = 'an unknown failure';
const EXCERPT_CHARACTERS = 24;
/** JSONata's codes (jsonata.js, `errorCodes`) for a call of a value that is not a function, and for a regex without an end. */
const NOT_A_FUNCTION = 'T1006';
const UNCLOSED_REGEX = 'S0302';

/** The usual cause: JSONata counts brackets to find the end of a regex, also inside `[…]`. */
const UNCLOSED_REGEX_MESSAGE =
  'a regular expression without an end: a bracket in it has no partner. Write a backslash before it, also inside [ ], as in /\\{[^\\}]*\\}/';

/** JSONata's message for `$lookup` with a key that is not text. */
const LOOKUP_BY_NUMBER = 'Argument 2 of function "lookup"';

function describe(
  { code, message: said = UNKNOWN, position: at, token }: JsonataError,
  text: string,
): { message: string; line: number | undefined } {
  const isUnclosed = code === UNCLOSED_REGEX;
  const position = isUnclosed ? findUnclosedRegex(text) : at;
  const before = position === undefined ? undefined : text.slice(0, position);
  const excerpt = before?.slice(-EXCERPT_CHARACTERS).split('\n').at(-1)?.trimStart();
  const near = excerpt === undefined ? '' : ` near "${excerpt}"`;
  const usual = isUnclosed ? UNCLOSED_REGEX_MESSAGE : said;
  const what = code === NOT_A_FUNCTION && token ? `$${token} is not a function` : usual;
  const hint = usual.startsWith(LOOKUP_BY_NUMBER) ? '; $get(table, key) takes a number too' : '';
  return { message: `${what}${near}${code ? ` (${code})` : ''}${hint}`, line: before?.split('\n').length };
}

/** Returns where the first regex with a bracket without a partner begins; undefined if there is none. */
function findUnclosedRegex(text: string): number | undefined {
  for (const { 0: regex, index } of text.matchAll(/\/(?:[^/\\\n*]|\\.)(?:[^/\\\n]|\\.)*\//g)) {
    const brackets = regex.replace(/\\.|[^([{}\])]/g, '');
    if (brackets.replace(/[([{]/g, '').length * 2 !== brackets.length) return index + 1;
  }
  return undefined;
}
