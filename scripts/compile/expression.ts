import type { ExprNode } from 'jsonata';
import type { Finding, Place } from '../findings/findings.ts';
import { addFunctions } from './add-functions.ts';
import { type Parsed, parseJsonata } from './jsonata.ts';
import { compileHelpers, HELPER_POSITIONS, type Helpers, type Reached } from './helpers.ts';
import { suggestFunction } from './suggest-function.ts';
import { findTablesOf, literalsOf, variablesOf } from './syntax-tree.ts';
import { findUnknownFunction } from './unknown-function.ts';

/** A JSONata expression, ready to be evaluated. */
export interface Expression {
  /** Its place in game.json; or line 1 of its own file. */
  place: Place;
  /** Its text, the syntax tree of it, and that of the functions that it may call. */
  readonly parsed: ParsedText;
  /** All names and texts in it. */
  readonly literals: ReadonlySet<string>;
  /** The tables that it names; undefined if it may read any table. */
  readonly tables: ReadonlySet<string> | undefined;
  /** The tables, undefined for all, on which data depend that the game's expressions share, if it uses such data. */
  readonly sharedData: { tables: ReadonlySet<string> | undefined } | undefined;
  /** Makes the functions and data that it uses, if they are not made yet for these tables. */
  prepare(bindings: Record<string, unknown>): void;
  /** The place where it names a table first. */
  placeOf(table: string): Place;
  /**
   * @param context the value of `$`
   * @param bindings variables by name, without `$`
   * @returns a JavaScript value; undefined if the expression selects nothing
   * @throws ExpressionError if it fails on this context
   */
  evaluate(context: unknown, bindings: Record<string, unknown>): unknown;
}

/** What an expression was parsed into. */
export interface ParsedText {
  text: string;
  ast: ExprNode;
  helpers: ExprNode | undefined;
}

/** An expression that cannot be parsed, or failed on a value. */
export class ExpressionError extends Error {
  /** The 1-based line of the expression's text, if known. */
  readonly line: number | undefined;
  /** Where it failed, if in a function that the game's expressions share. */
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
  /** The name of the function, or of another part, that failed. */
  token?: string;
}

/**
 * Parses an expression, which may call the functions of the library, and those of `helpers`.
 *
 * @returns the expression, or a finding about its syntax error: at `place`, or at the error's line of the expression's own file
 */
export function compileExpression(
  text: string,
  place: Place,
  helpers?: Helpers,
): { value: Expression } | { finding: Finding } {
  try {
    return { value: new ParsedExpression(text, place, addFunctions(parseJsonata(text)), helpers) };
  } catch (error) {
    return { finding: syntaxFinding(error, text, place) };
  }
}

/** Parses the functions that a game's expressions share; or returns a finding about what is wrong with them. */
export function compileSharedFunctions(
  text: string,
  place: Place,
): { value: Helpers } | { finding: Finding } {
  return compileHelpers(text, place, (error, parsed) => syntaxFinding(error, parsed, place));
}

function syntaxFinding(error: unknown, text: string, place: Place): Finding {
  const { message, line } = describe(error as JsonataError, text);
  return {
    check: 'expression-syntax',
    severity: 'error',
    place: place.line !== undefined && line !== undefined ? { ...place, line } : place,
    found: message,
    expected: 'a JSONata expression (https://docs.jsonata.org)',
  };
}

class ParsedExpression implements Expression {
  readonly place: Place;
  readonly #text: string;
  readonly #parsed: Parsed;
  readonly #ast: ExprNode;
  readonly #helpers: Helpers | undefined;
  #reached: Reached | undefined;
  /** The tables that the helpers were bound on. */
  #bound: { tables: unknown } | undefined;
  // Only a run that compiles a build needs these.
  #literals: ReadonlySet<string> | undefined;
  #tables: { names: ReadonlySet<string> | undefined } | undefined;

  constructor(text: string, place: Place, parsed: Parsed, helpers: Helpers | undefined) {
    this.place = place;
    this.#text = text;
    this.#parsed = parsed;
    this.#ast = parsed.ast();
    this.#helpers = helpers;
  }

  get literals(): ReadonlySet<string> {
    this.#literals ??= new Set([...literalsOf(this.#ast), ...this.#called.literals]);
    return this.#literals;
  }

  get parsed(): ParsedText {
    return { text: this.#text, ast: this.#ast, helpers: this.#helpers?.ast };
  }

  get tables(): ReadonlySet<string> | undefined {
    this.#tables ??= { names: union(findTablesOf(this.#ast), this.#called.tables) };
    return this.#tables.names;
  }

  get sharedData(): Expression['sharedData'] {
    const { hasData, tables } = this.#called;
    return hasData ? { tables } : undefined;
  }

  prepare({ tables }: Record<string, unknown>): void {
    try {
      this.#helpers?.functionsFor(tables);
    } catch {
      // `evaluate` fails in the same way.
    }
  }

  /** What the helpers read that the expression calls. */
  get #called(): Reached {
    this.#reached ??= this.#helpers?.reachedFrom(variablesOf(this.#ast)) ?? NO_HELPERS;
    return this.#reached;
  }

  placeOf(table: string): Place {
    const { place } = this;
    const index = this.#text.search(new RegExp(`\\$tables\\.${table}\\b`));
    return index < 0 ? place : atLine(place, this.#text.slice(0, index).split('\n').length);
  }

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
    if (this.#helpers === undefined || this.#called.names.size === 0 || this.#bound?.tables === tables)
      return;
    for (const [name, implementation] of Object.entries(this.#helpers.functionsFor(tables)))
      this.#parsed.assign(name, implementation);
    this.#bound = { tables };
  }

  #describe(error: JsonataError): ExpressionError {
    const helpers = this.#helpers;
    const names = helpers?.names;
    if (helpers === undefined || (error.position ?? 0) < HELPER_POSITIONS) {
      const { message, line } = describe(error, this.#text, names);
      return new ExpressionError(message, line);
    }
    const position = (error.position ?? 0) - HELPER_POSITIONS;
    const { message, line } = describe(
      { ...error, ...(error.message !== undefined && { message: error.message }), position },
      helpers.text,
      names,
    );
    return new ExpressionError(message, undefined, atLine(helpers.place, line ?? 1));
  }
}

const NO_HELPERS: Reached = { names: new Set(), literals: new Set(), tables: new Set(), hasData: false };

function union(
  names: ReadonlySet<string> | undefined,
  more: ReadonlySet<string> | undefined,
): ReadonlySet<string> | undefined {
  return names && more && new Set([...names, ...more]);
}

/** Replaces a TypeError inside JSONata, which it throws for an unknown function in a lambda, with JSONata's error for that. */
function explain(error: JsonataError, ast: ExprNode, helpers: Iterable<string> | undefined): JsonataError {
  const unknown = error instanceof TypeError ? findUnknownFunction(ast, helpers) : undefined;
  if (unknown === undefined) return error;
  const { name, position } = unknown;
  return { code: NOT_A_FUNCTION, token: name, ...(position !== undefined && { position }) };
}

/** A line of an expression, if the expression has its own file; otherwise its place in game.json. */
export function atLine(place: Place, line: number): Place {
  return place.line === undefined ? place : { ...place, line };
}

/** The text for the place of an expression in messages. */
export function describePlace({ place }: Pick<Expression, 'place'>, line = place.line): string {
  return place.line === undefined ? `${place.pointer} in ${place.file}` : `${place.file}:${line}`;
}

const EXCERPT_CHARACTERS = 24;
/** The code of a call of something that is not a function (jsonata.js, `errorCodes`). */
const NOT_A_FUNCTION = 'T1006';

function describe(
  { code, message: said = 'an unknown failure', position: at, token }: JsonataError,
  text: string,
  helpers?: Iterable<string>,
): { message: string; line: number | undefined } {
  const isUnclosed = code === UNCLOSED_REGEX;
  const position = isUnclosed ? findUnclosedRegex(text) : at;
  const message = isUnclosed ? UNCLOSED_REGEX_MESSAGE : said;
  const before = position === undefined ? undefined : text.slice(0, position);
  const excerpt = before?.slice(-EXCERPT_CHARACTERS).split('\n').at(-1)?.trimStart();
  const near = excerpt === undefined ? '' : ` near "${excerpt}"`;
  const what = code === NOT_A_FUNCTION && token !== undefined ? suggestFunction(token, helpers) : message;
  const hint = message.startsWith(LOOKUP_BY_NUMBER) ? '; $get(table, key) takes a number too' : '';
  return {
    message: `${what}${near}${code ? ` (${code})` : ''}${hint}`,
    line: before?.split('\n').length,
  };
}

/** What JSONata says of `$lookup` with a key that is no text. */
const LOOKUP_BY_NUMBER = 'Argument 2 of function "lookup"';

/** JSONata's code for a regex without an end. */
export const UNCLOSED_REGEX = 'S0302';

/** What is wrong with such a regex: nearly always a bracket. JSONata counts brackets to find the end, also inside `[…]`. */
export const UNCLOSED_REGEX_MESSAGE =
  'a regular expression without an end: a bracket in it has no partner. Write a backslash before it, also inside [ ], as in /\\{[^\\}]*\\}/';

/** A slash where a regex can begin: after an opening bracket, a comma, or an operator. */
const STARTS = /[([{,=~>?:;]\s*\/(?![*/])/g;

/** Finds where the regex without an end begins in the text of an expression; undefined if that cannot be found. */
export function findUnclosedRegex(text: string): number | undefined {
  for (const match of text.matchAll(STARTS)) {
    const start = match.index + match[0].length;
    if (!isClosed(text, start)) return start;
  }
  return undefined;
}

/** Looks for the end of a regex as JSONata does. */
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
