import type { Finding, Place } from '../findings/findings.ts';
import type { Engine } from '../jsonata/engine.ts';
import { type AttributePath, findAttributePaths } from './attribute-paths.ts';
import { type Evaluator, parseExpression } from './evaluator.ts';
import { findNamedAttributes, findTablesOf, type NamedAttribute } from './named-attributes.ts';
import { suggestFunction } from './suggest-function.ts';
import { literalsOf } from './syntax-tree.ts';
import { findUnknownFunction } from './unknown-function.ts';

/** A JSONata expression, ready to be evaluated. */
export interface Expression {
  /** Its place in game.json; or line 1 of its own file. */
  place: Place;
  /** The attributes of its context that it reads by name. */
  reads: readonly AttributePath[];
  /** All names and texts in it. */
  readonly literals: ReadonlySet<string>;
  /** The attributes that it names in the objects that it returns. */
  readonly named: readonly NamedAttribute[];
  /** The tables that it names; undefined if it may read any table. */
  readonly tables: ReadonlySet<string> | undefined;
  /** The place where it names a table first. */
  placeOf(table: string): Place;
  /**
   * @param context the value of `$`
   * @param bindings variables by name, without `$`
   * @returns a JavaScript value; undefined if the expression selects nothing
   * @throws ExpressionError if it fails on this context
   */
  evaluate(context: unknown, bindings: Record<string, unknown>): Promise<unknown>;
}

/** An expression that cannot be parsed, or failed on a value. */
export class ExpressionError extends Error {
  /** The 1-based line of the expression's text, if known. */
  readonly line: number | undefined;

  constructor(message: string, line: number | undefined) {
    super(message);
    this.line = line;
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
 * Parses an expression, which may call the functions of the library.
 *
 * @returns the expression, or a finding about its syntax error: at `place`, or at the error's line of the expression's own file
 */
export function compileExpression(
  text: string,
  place: Place,
  engine: Engine,
): { value: Expression } | { finding: Finding } {
  let evaluator: Evaluator;
  try {
    evaluator = parseExpression(text, engine);
  } catch (error) {
    const { message, line } = describe(error as JsonataError, text);
    return {
      finding: {
        check: 'expression-syntax',
        severity: 'error',
        place: place.line !== undefined && line !== undefined ? { ...place, line } : place,
        found: message,
        expected: 'a JSONata expression (https://docs.jsonata.org)',
      },
    };
  }
  return { value: new ParsedExpression(text, place, evaluator) };
}

class ParsedExpression implements Expression {
  readonly place: Place;
  readonly reads: readonly AttributePath[];
  readonly #text: string;
  readonly #evaluator: Evaluator;
  // Only a run that compiles a build needs these.
  #literals: ReadonlySet<string> | undefined;
  #named: readonly NamedAttribute[] | undefined;
  #tables: { names: ReadonlySet<string> | undefined } | undefined;

  constructor(text: string, place: Place, evaluator: Evaluator) {
    this.place = place;
    this.reads = findAttributePaths(evaluator.ast, text);
    this.#text = text;
    this.#evaluator = evaluator;
  }

  get literals(): ReadonlySet<string> {
    this.#literals ??= literalsOf(this.#evaluator.ast);
    return this.#literals;
  }

  get named(): readonly NamedAttribute[] {
    this.#named ??= findNamedAttributes(this.#evaluator.ast, this.#text);
    return this.#named;
  }

  get tables(): ReadonlySet<string> | undefined {
    this.#tables ??= { names: findTablesOf(this.#evaluator.ast) };
    return this.#tables.names;
  }

  placeOf(table: string): Place {
    const { place } = this;
    const index = this.#text.search(new RegExp(`\\$tables\\.${table}\\b`));
    return index < 0 ? place : atLine(place, this.#text.slice(0, index).split('\n').length);
  }

  async evaluate(context: unknown, bindings: Record<string, unknown>): Promise<unknown> {
    try {
      return await this.#evaluator.evaluate(context, bindings);
    } catch (error) {
      const { message, line } = describe(explain(error as JsonataError, this.#evaluator), this.#text);
      throw new ExpressionError(message, line);
    }
  }
}

/** Replaces a TypeError inside JSONata, which it throws for an unknown function in a lambda, with JSONata's error for that. */
function explain(error: JsonataError, { ast }: Evaluator): JsonataError {
  const unknown = error instanceof TypeError ? findUnknownFunction(ast) : undefined;
  if (unknown === undefined) return error;
  const { name, position } = unknown;
  return { code: NOT_A_FUNCTION, token: name, ...(position !== undefined && { position }) };
}

/** A line of an expression, if the expression has its own file; otherwise its place in game.json. */
export function atLine(place: Place, line: number): Place {
  return place.line === undefined ? place : { ...place, line };
}

/** The text for the place of an expression in messages. */
export function describePlace({ place }: Expression, line = place.line): string {
  return place.line === undefined ? `${place.pointer} in ${place.file}` : `${place.file}:${line}`;
}

const EXCERPT_CHARACTERS = 24;
/** The code of a call of something that is not a function (jsonata.js, `errorCodes`). */
const NOT_A_FUNCTION = 'T1006';

function describe(
  { code, message = 'an unknown failure', position, token }: JsonataError,
  text: string,
): { message: string; line: number | undefined } {
  const before = position === undefined ? undefined : text.slice(0, position);
  const near =
    before === undefined
      ? ''
      : ` near "${before.slice(-EXCERPT_CHARACTERS).split('\n').at(-1)?.trimStart()}"`;
  const what = code === NOT_A_FUNCTION && token !== undefined ? suggestFunction(token) : message;
  return {
    message: `${what}${near}${code ? ` (${code})` : ''}`,
    line: before?.split('\n').length,
  };
}
