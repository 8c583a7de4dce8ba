import type { Finding, Place } from '../findings/findings.ts';
import type { Engine } from '../jsonata/engine.ts';
import { type AttributePath, findAttributePaths } from './attribute-paths.ts';
import { type Evaluator, parseExpression } from './evaluator.ts';
import { suggestFunction } from './suggest-function.ts';

/** A JSONata expression, ready to be evaluated. */
export interface Expression {
  /** Where it stands in game.json, or the file that holds it, with line 1. */
  place: Place;
  /** The attributes of its context that it reads by name. */
  reads: readonly AttributePath[];
  /**
   * @param context what `$` is
   * @param bindings variables, without their `$`
   * @returns a JavaScript value, undefined where the expression selects nothing
   * @throws ExpressionError when it fails on this context
   */
  evaluate(context: unknown, bindings: Record<string, unknown>): Promise<unknown>;
}

/** An expression that cannot be parsed, or failed on a value. */
export class ExpressionError extends Error {
  /** The 1-based line of the expression's text, where that is known. */
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
  /** The name of the function, or of whatever else failed. */
  token?: string;
}

/**
 * Parses an expression, which may call the functions of the library.
 *
 * @returns the expression, or its syntax error: a finding at `place`, and in a file of its own at the error's line
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
  return {
    value: {
      place,
      reads: findAttributePaths(evaluator.ast, text),
      async evaluate(context, bindings) {
        try {
          return await evaluator.evaluate(context, bindings);
        } catch (error) {
          const { message, line } = describe(error as JsonataError, text);
          throw new ExpressionError(message, line);
        }
      },
    },
  };
}

/** Where to look in order to mend an expression, as a finding says it. */
export function describePlace({ place }: Expression, line = place.line): string {
  return place.line === undefined ? `${place.pointer} in ${place.file}` : `${place.file}:${line}`;
}

const EXCERPT = 24;
/** What is called is none (jsonata.js, `errorCodes`). */
const NO_FUNCTION = 'T1006';

function describe(
  { code, message = 'an unknown failure', position, token }: JsonataError,
  text: string,
): { message: string; line: number | undefined } {
  const before = position === undefined ? undefined : text.slice(0, position);
  const near =
    before === undefined ? '' : ` near "${before.slice(-EXCERPT).split('\n').at(-1)?.trimStart()}"`;
  const what = code === NO_FUNCTION && token !== undefined ? suggestFunction(token) : message;
  return {
    message: `${what}${near}${code ? ` (${code})` : ''}`,
    line: before?.split('\n').length,
  };
}
