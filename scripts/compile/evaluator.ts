import type jsonata from 'jsonata';
import type { ExprNode } from 'jsonata';
import { patientJsonata } from '../jsonata/jsonata-source.ts';
import { LIBRARY } from './library/library.ts';
import { isSynchronous, synchronousJsonata } from '../jsonata/synchronous-jsonata.ts';
import { TIMELESS } from './timeless.ts';

/** An expression as JSONata has it, with the functions of the library. */
export interface Evaluator {
  ast: ExprNode;
  /**
   * @param context what `$` is
   * @param bindings variables, without their `$`
   * @returns as JSONata gives it
   * @throws what JSONata throws
   */
  evaluate(context: unknown, bindings: Record<string, unknown>): Promise<unknown>;
}

/**
 * Parses an expression.
 *
 * @throws what JSONata throws of a text that is none
 */
export function parseExpression(text: string): Evaluator {
  const atOnce = withLibrary(synchronousJsonata(text));
  const ast = atOnce.ast();
  const synchronous = isSynchronous(ast);
  let patient: jsonata.Expression | undefined;
  return {
    ast,
    async evaluate(context, bindings) {
      if (synchronous) {
        try {
          return atOnce.evaluate(context, bindings);
        } catch {
          // Promises bear deeper recursion; and of two failures it is theirs that is told.
        }
      }
      patient ??= withLibrary(patientJsonata()(text));
      return await patient.evaluate(context, bindings);
    },
  };
}

function withLibrary<T extends Pick<jsonata.Expression, 'registerFunction'>>(parsed: T): T {
  for (const [name, implementation] of Object.entries(LIBRARY)) parsed.registerFunction(name, implementation);
  for (const { name, implementation, signature } of TIMELESS)
    parsed.registerFunction(name, implementation, signature);
  return parsed;
}
