import jsonata from 'jsonata';
import type { Finding, Place } from '../findings.ts';

/** A JSONata expression, ready to be evaluated. */
export interface Expression {
  /** Where it stands in game.json. */
  place: Place;
  /**
   * @param context what `$` is
   * @param bindings variables, without their `$`
   * @returns a JavaScript value, undefined where the expression selects nothing
   * @throws ExpressionError when it fails on this context
   */
  evaluate(context: unknown, bindings: Record<string, unknown>): Promise<unknown>;
}

/** An expression that cannot be parsed, or failed on a value. */
export class ExpressionError extends Error {}

/** JSONata's own errors are plain objects with these fields (jsonata.js, `errorCodes`). */
interface JsonataError {
  code?: string;
  message?: string;
  position?: number;
}

/** Parses an expression; its syntax error is a finding at `place`. */
export function compileExpression(text: string, place: Place): { value: Expression } | { finding: Finding } {
  try {
    const compiled = jsonata(text);
    return {
      value: {
        place,
        async evaluate(context, bindings) {
          try {
            return await compiled.evaluate(context, bindings);
          } catch (error) {
            throw new ExpressionError(describe(error as JsonataError, text));
          }
        },
      },
    };
  } catch (error) {
    return {
      finding: {
        check: 'expression-syntax',
        severity: 'error',
        place,
        found: describe(error as JsonataError, text),
        expected: 'a JSONata expression (https://docs.jsonata.org)',
      },
    };
  }
}

const EXCERPT = 24;

function describe({ code, message, position }: JsonataError, text: string): string {
  const near =
    position === undefined ? '' : ` near "${text.slice(Math.max(0, position - EXCERPT), position)}"`;
  return `${message ?? 'an unknown failure'}${near}${code ? ` (${code})` : ''}`;
}
