import type { ExprNode } from 'jsonata';
import { errorAt, type Finding, type Place } from '../findings.ts';
import { once } from '../system.ts';
import { type Parsed, parseJsonata } from './jsonata.ts';
import { addFunctions, FUNCTIONS, suggestFunction } from './library.ts';

/** A node of JSONata's syntax tree. The package's type lacks most parts, which depend on the type of the node. */
export interface Node {
  readonly type: string;
  value?: unknown;
  position?: number;
  steps?: Node[];
  stages?: unknown;
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

/** The names in a syntax tree. */
interface Named {
  /** All names and texts. */
  literals: ReadonlySet<string>;
  /** The names of variables, without `$`. */
  variables: ReadonlySet<string>;
  /** The tables that its paths begin with, as `$tables.items[…]`; undefined if it may read any table. */
  tables: ReadonlySet<string> | undefined;
}

function namedIn(root: ExprNode | Node): Named {
  const [literals, variables, tables] = [new Set<string>(), new Set<string>(), new Set<string>()];
  let [all, ofPaths] = [0, 0];
  eachNode(root, ({ type, value, steps: [first, second] = [] }) => {
    if (type === 'name' || type === 'string') literals.add(String(value));
    if (type === 'variable') variables.add(String(value));
    if (type === 'variable' && value === 'tables') all++;
    if (first?.type !== 'variable' || first.value !== 'tables' || second?.type !== 'name') return;
    tables.add(String(second.value));
    ofPaths++;
  });
  return { literals, variables, tables: all > ofPaths ? undefined : tables };
}

/** A variable that an expression uses as a function. */
interface UnknownFunction {
  name: string;
  /** Its position in the expression's text. */
  position: number | undefined;
}

/** The variables that every evaluation binds, and JSONata's own: `$`, `$$`. */
const BOUND = ['key', 'tables', '', '$'];

/**
 * Finds the first function, called or passed as an argument, that does not exist. For some of them, JSONata would throw only a TypeError.
 *
 * @param root the expression's syntax tree
 * @param helpers the functions that the game defines
 */
function findUnknownFunction(root: ExprNode, helpers: Iterable<string> = []): UnknownFunction | undefined {
  const used: UnknownFunction[] = [];
  const bound = new Set<unknown>([...GIVEN, ...helpers]);
  const use = (node: Node | undefined): void => {
    if (node?.type === 'variable') used.push({ name: String(node.value), position: node.position });
  };
  const visit = (part: unknown): void => {
    if (typeof part !== 'object' || part === null) return;
    const node = part as Node;
    if (node.type === 'bind') bound.add(textOf(node.lhs));
    if (node.type === 'lambda') for (const parameter of node.arguments ?? []) bound.add(parameter.value);
    else use(node.procedure);
    if (node.type === 'function') for (const argument of node.arguments ?? []) use(argument);
    bound.add(node.focus).add(node.index);
    for (const below of Object.values(part)) visit(below);
  };
  visit(root);
  return used.find(({ name }) => !bound.has(name));
}

/** Functions and data by name without `$`, in JSONata's form. */
export type HelperFunctions = Readonly<Record<string, unknown>>;

/** The names, texts and tables that an expression reaches through functions and data of the game. */
export interface Reached {
  names: ReadonlySet<string>;
  literals: ReadonlySet<string>;
  /** Undefined if any table may be read. */
  tables: ReadonlySet<string> | undefined;
}

/** Added to the positions in helpers, to distinguish their errors from those of the expression. */
const HELPER_POSITIONS = 2 ** 40;

const EXPECTED =
  'functions and data with names of their own, each as $name := function($argument) { … }; or $name := …;';
const GIVEN: readonly string[] = [...FUNCTIONS, ...BOUND];

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
    return { finding: endingIn(syntaxFinding(error, wrapped, place), text) };
  }
}

/** If a text ends too early, JSONata reports a fault in the line that is appended to it. */
function endingIn({ place, ...finding }: Finding, text: string): Finding {
  const { line = 1, ...rest } = place;
  return { ...finding, place: { ...rest, line: Math.min(line, text.split('\n').length) } };
}

/** The functions and data that all expressions of a game share, in one file. */
export class Helpers {
  /** Line 1 of the file. */
  readonly place: Place;
  readonly text: string;
  /** The syntax tree; its positions are those in `text` plus `HELPER_POSITIONS`. */
  readonly ast: ExprNode;
  readonly names: ReadonlySet<string>;
  readonly #statements: readonly Node[];
  readonly #definitions: ReadonlyMap<string, Node>;
  #parsed: Parsed | undefined;
  #evaluated: { tables: unknown; functions: HelperFunctions } | undefined;

  /** @throws JSONata's exception for a syntax error */
  constructor(text: string, place: Place) {
    this.text = text;
    this.place = place;
    this.ast = moved(parseJsonata(text).ast());
    this.#statements = statementsOf(this.ast);
    const definitions = this.#statements.filter(isDefinition);
    this.#definitions = new Map(definitions.map((node) => [nameOf(node), node.rhs ?? node]));
    this.names = new Set(this.#definitions.keys());
  }

  /** Returns the first statement that defines nothing new, or that uses an unknown function. */
  findFault(): Finding | undefined {
    const seen = new Set<string>(GIVEN);
    for (const statement of this.#statements) {
      if (!isDefinition(statement)) return this.#fault(statement, 'a statement that defines nothing');
      const name = nameOf(statement);
      if (seen.has(name)) return this.#fault(statement, `a second $${name}`);
      seen.add(name);
    }
    const unknown = findUnknownFunction(this.ast);
    if (unknown) return this.#fault(unknown, `$${unknown.name}, which is not a function`);
    const body = [...this.#definitions.values()].find(readsRowKey);
    return (
      body && this.#fault(body, '$key, which only the expression for a row has', 'an argument instead of it')
    );
  }

  #fault(at: { position?: number | undefined }, found: string, expected = EXPECTED): Finding {
    const before = this.text.slice(0, (at.position ?? HELPER_POSITIONS) - HELPER_POSITIONS);
    const place = { ...this.place, line: before.split('\n').length };
    return errorAt('expression-syntax', place, found, expected);
  }

  /** Returns what an expression with these variables reads through shared functions and data, also indirectly. */
  reachedFrom(variables: ReadonlySet<string>): Reached {
    const names = new Set<string>();
    const literals = new Set<string>();
    let tables: ReadonlySet<string> | undefined = new Set();
    const follow = (used: ReadonlySet<string>): void => {
      for (const name of used) {
        const definition = names.has(name) ? undefined : this.#definitions.get(name);
        if (definition === undefined) continue;
        names.add(name);
        const named = namedIn(definition);
        for (const literal of named.literals) literals.add(literal);
        tables = union(named.tables, tables);
        follow(named.variables);
      }
    };
    follow(variables);
    return { names, literals, tables };
  }

  /** Returns the functions and data for the tables of a build, evaluated once per object of tables. */
  functionsFor(tables: unknown): HelperFunctions {
    if (this.#evaluated === undefined || this.#evaluated.tables !== tables) {
      this.#parsed ??= this.#prepare();
      const functions = this.#parsed.evaluate(undefined, { tables }) as HelperFunctions;
      this.#evaluated = { tables, functions };
    }
    return this.#evaluated.functions;
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

/** The block with the definitions: the file may have its own parentheses around them. */
function blockOf(node: Node): Node {
  const [only, ...others] = node.expressions ?? [];
  return only?.type === 'block' && others.length === 0 ? blockOf(only) : node;
}

/** The statements of a file, as a list to which statements can be added. */
function statementsOf(ast: ExprNode): Node[] {
  const block = blockOf(rootOf(ast));
  block.expressions ??= [];
  return block.expressions;
}

function isDefinition({ type }: Node): boolean {
  return type === 'bind';
}

/** Whether a definition uses `$key` without binding it. */
function readsRowKey(definition: Node): boolean {
  const names = new Set<unknown>();
  eachNode(definition, ({ type, arguments: parameters, lhs }) => {
    if (type === 'lambda') for (const { value } of parameters ?? []) names.add(value);
    if (type === 'bind') names.add(textOf(lhs));
  });
  return !names.has('key') && namedIn(definition).variables.has('key');
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
    return { value: new Expression(text, place, addFunctions(parseJsonata(text)), helpers) };
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
  /** What it reads, including through the helpers that it calls. Only a run that compiles a build needs this. */
  readonly #reached: () => Reached;
  /** The tables for which the helpers were bound. */
  #bound: { tables: unknown } | undefined;

  constructor(text: string, place: Place, parsed: Parsed, helpers: Helpers | undefined) {
    this.place = place;
    this.#text = text;
    this.#parsed = parsed;
    this.#ast = parsed.ast();
    this.#helpers = helpers;
    this.#reached = once(() => {
      const { literals, variables, tables } = namedIn(this.#ast);
      const called = helpers?.reachedFrom(variables);
      if (called === undefined) return { names: new Set(), literals, tables };
      const all = new Set([...literals, ...called.literals]);
      return { names: called.names, literals: all, tables: union(tables, called.tables) };
    });
  }

  /** All names and texts in the expression and in the helpers that it calls. */
  get literals(): ReadonlySet<string> {
    return this.#reached().literals;
  }

  /** Its text and syntax tree, and the syntax tree of the functions that it may call. */
  get parsed(): { text: string; ast: ExprNode; helpers: ExprNode | undefined } {
    return { text: this.#text, ast: this.#ast, helpers: this.#helpers?.ast };
  }

  /** The tables that it names; undefined if it may read any table. */
  get tables(): ReadonlySet<string> | undefined {
    return this.#reached().tables;
  }

  /** Makes the functions and data that it uses, once per object of tables. */
  prepare({ tables }: Record<string, unknown>): void {
    try {
      if (this.#reached().names.size > 0) this.#helpers?.functionsFor(tables);
    } catch {
      // `evaluate` fails in the same way.
    }
  }

  /** Returns the place where it first names a table. */
  placeOf(table: string): Place {
    const { place } = this;
    const index = this.#text.search(new RegExp(`\\$tables\\.${table}\\b`));
    return index < 0 ? place : atLine(place, this.#text.slice(0, index).split('\n').length);
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
      throw this.#describe(explain(error as JsonataError, this.#ast, this.#helpers?.names));
    }
  }

  /** Binds the helpers that it calls. */
  #bind(tables: unknown): void {
    if (this.#helpers === undefined || this.#bound?.tables === tables || this.#reached().names.size === 0)
      return;
    for (const [name, implementation] of Object.entries(this.#helpers.functionsFor(tables)))
      this.#parsed.assign(name, implementation);
    this.#bound = { tables };
  }

  #describe(error: JsonataError): ExpressionError {
    const helpers = this.#helpers;
    const { code = '', message = UNKNOWN, token = '', position = 0 } = error;
    if (helpers === undefined || position < HELPER_POSITIONS) {
      const { message, line } = describe(error, this.#text, helpers?.names);
      return new ExpressionError(message, line);
    }
    const inHelpers = { code, message, token, position: position - HELPER_POSITIONS };
    const described = describe(inHelpers, helpers.text, helpers.names);
    return new ExpressionError(described.message, undefined, atLine(helpers.place, described.line ?? 1));
  }
}

function union(
  names: ReadonlySet<string> | undefined,
  more: ReadonlySet<string> | undefined,
): ReadonlySet<string> | undefined {
  return names && more && new Set([...names, ...more]);
}

/** Replaces the TypeError that JSONata throws for an unknown function in a lambda by JSONata's own error. */
function explain(error: JsonataError, ast: ExprNode, helpers: Iterable<string> | undefined): JsonataError {
  const unknown = error instanceof TypeError ? findUnknownFunction(ast, helpers) : undefined;
  if (unknown === undefined) return error;
  const { name, position } = unknown;
  return { code: NOT_A_FUNCTION, token: name, ...(position !== undefined && { position }) };
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
/** The code for a call of a value that is not a function (jsonata.js, `errorCodes`). */
const NOT_A_FUNCTION = 'T1006';

function describe(
  { code, message: said = UNKNOWN, position: at, token }: JsonataError,
  text: string,
  helpers?: Iterable<string>,
): { message: string; line: number | undefined } {
  const isUnclosed = code === UNCLOSED_REGEX;
  const position = isUnclosed ? findUnclosedRegex(text) : at;
  const message = isUnclosed ? UNCLOSED_REGEX_MESSAGE : said;
  const before = position === undefined ? undefined : text.slice(0, position);
  const excerpt = before?.slice(-EXCERPT_CHARACTERS).split('\n').at(-1)?.trimStart();
  const near = excerpt === undefined ? '' : ` near "${excerpt}"`;
  const what = code === NOT_A_FUNCTION && token ? suggestFunction(token, helpers) : message;
  const hint = message.startsWith(LOOKUP_BY_NUMBER) ? '; $get(table, key) takes a number too' : '';
  return {
    message: `${what}${near}${code ? ` (${code})` : ''}${hint}`,
    line: before?.split('\n').length,
  };
}

/** JSONata's message for `$lookup` with a key that is not text. */
const LOOKUP_BY_NUMBER = 'Argument 2 of function "lookup"';

/** JSONata's code for a regex without an end. */
const UNCLOSED_REGEX = 'S0302';

/** The usual cause: JSONata counts brackets to find the end of a regex, also inside `[…]`. */
const UNCLOSED_REGEX_MESSAGE =
  'a regular expression without an end: a bracket in it has no partner. Write a backslash before it, also inside [ ], as in /\\{[^\\}]*\\}/';

/** A slash that can begin a regex: after an opening bracket, a comma, or an operator. */
const STARTS = /[([{,=~>?:;]\s*\/(?![*/])/g;

/** Returns where the regex without an end begins in the text; undefined if unknown. */
function findUnclosedRegex(text: string): number | undefined {
  for (const match of text.matchAll(STARTS)) {
    const start = match.index + match[0].length;
    if (!isClosed(text, start)) return start;
  }
  return undefined;
}

/** Searches for the end of a regex as JSONata does. */
function isClosed(text: string, start: number): boolean {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === '\\') at++;
    else if (character === '/' && depth === 0) return true;
    else if ('([{'.includes(character)) depth++;
    else if (')]}'.includes(character)) depth--;
  }
  return false;
}
