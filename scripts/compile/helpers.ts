import type { ExprNode } from 'jsonata';
import type { Finding, Place } from '../findings/findings.ts';
import { type Parsed, parseJsonata } from './jsonata.ts';
import { addFunctions } from './add-functions.ts';
import { FUNCTIONS } from './suggest-function.ts';
import { eachNode, findTablesOf, literalsOf, type Node, rootOf, textOf, variablesOf } from './syntax-tree.ts';
import { findUnknownFunction } from './unknown-function.ts';

/** Functions and data by name without `$`, as JSONata evaluates them. */
export type HelperFunctions = Readonly<Record<string, unknown>>;

/** What the functions and data that an expression uses read. */
export interface Reached {
  names: ReadonlySet<string>;
  literals: ReadonlySet<string>;
  /** Undefined if any table may be read. */
  tables: ReadonlySet<string> | undefined;
  /** Whether data are among them. */
  hasData: boolean;
}

/** Added to the positions in the syntax tree of helpers, so that errors in them are not taken for errors of the expression. */
export const HELPER_POSITIONS = 2 ** 40;

const EXPECTED =
  'functions and data with names of their own, each as $name := function($argument) { … }; or $name := …;';
const GIVEN = new Set([...FUNCTIONS, 'key', 'tables', '', '$']);

/**
 * Parses the functions and data that a game's expressions share.
 *
 * @param text `$name := function(…) { … };` for each function and `$name := …;` for data, with or without parentheses around all
 * @param parseFault turns what JSONata throws for a text with a syntax error into a finding
 */
export function compileHelpers(
  text: string,
  place: Place,
  parseFault: (error: unknown, text: string) => Finding,
): { value: Helpers } | { finding: Finding } {
  const wrapped = `(${text}\n)`;
  try {
    const helpers = new Helpers(wrapped, place);
    const finding = helpers.findFault();
    return finding ? { finding } : { value: helpers };
  } catch (error) {
    return { finding: endingIn(parseFault(error, wrapped), text) };
  }
}

/** In a text that ends too early, JSONata finds the fault in the line that is added after it. */
function endingIn({ place, ...finding }: Finding, text: string): Finding {
  const { line = 1, ...rest } = place;
  return { ...finding, place: { ...rest, line: Math.min(line, text.split('\n').length) } };
}

/** The functions and data that a game defines for all of its expressions, in one file. */
export class Helpers {
  /** Line 1 of the file. */
  readonly place: Place;
  readonly text: string;
  /** The syntax tree; its positions are those in `text`, moved by `HELPER_POSITIONS`. */
  readonly ast: ExprNode;
  readonly names: ReadonlySet<string>;
  readonly #statements: readonly Node[];
  readonly #definitions: ReadonlyMap<string, Node>;
  #parsed: Parsed | undefined;
  #evaluated: { tables: unknown; functions: HelperFunctions } | undefined;

  /** @throws what JSONata throws for a text with a syntax error */
  constructor(text: string, place: Place) {
    this.text = text;
    this.place = place;
    this.ast = moved(parseJsonata(text).ast());
    this.#statements = statementsOf(this.ast);
    const definitions = this.#statements.filter(isDefinition);
    this.#definitions = new Map(definitions.map((node) => [nameOf(node), node.rhs ?? node]));
    this.names = new Set(this.#definitions.keys());
  }

  /** The first statement that defines nothing new, or that uses what there is not. */
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
    return { check: 'expression-syntax', severity: 'error', place, found, expected };
  }

  /** What an expression with these variables reads through the functions and data that it uses, also indirectly. */
  reachedFrom(variables: ReadonlySet<string>): Reached {
    const names = new Set<string>();
    const literals = new Set<string>();
    let tables: ReadonlySet<string> | undefined = new Set();
    let hasData = false;
    const follow = (used: ReadonlySet<string>): void => {
      for (const name of used) {
        const definition = names.has(name) ? undefined : this.#definitions.get(name);
        if (definition === undefined) continue;
        names.add(name);
        for (const literal of literalsOf(definition)) literals.add(literal);
        const named = findTablesOf(definition);
        tables = named && tables && new Set([...tables, ...named]);
        follow(variablesOf(definition));
        hasData ||= definition.type !== 'lambda';
      }
    };
    follow(variables);
    return { names, literals, tables, hasData };
  }

  /** The functions and data of the tables of a build, evaluated once for the same object of tables. */
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

/** Moves the positions of a syntax tree. */
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

/** The statements of a file, a list that can be added to. */
function statementsOf(ast: ExprNode): Node[] {
  const block = blockOf(rootOf(ast));
  block.expressions ??= [];
  return block.expressions;
}

function isDefinition({ type }: Node): boolean {
  return type === 'bind';
}

/** Whether a definition uses `$key`, which is not a name of its own. */
function readsRowKey(definition: Node): boolean {
  const names = new Set<unknown>();
  eachNode(definition, ({ type, arguments: parameters, lhs }) => {
    if (type === 'lambda') for (const { value } of parameters ?? []) names.add(value);
    if (type === 'bind') names.add(textOf(lhs));
  });
  return !names.has('key') && variablesOf(definition).has('key');
}

function nameOf({ lhs }: Node): string {
  return String(textOf(lhs));
}
