import type jsonata from 'jsonata';
import type { ExprNode } from 'jsonata';
import type { Engine } from '../jsonata/engine.ts';
import { isSynchronous } from '../jsonata/is-synchronous.ts';
import { LIBRARY } from './library/library.ts';
import { timelessFunctions } from './timeless.ts';

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
 * Parses an expression. It is evaluated without promises where the engine can do that and it makes no difference.
 *
 * @throws what JSONata throws of a text that is none
 */
export function parseExpression(text: string, engine: Engine): Evaluator {
  const parsePatient = () => withLibrary(engine.parse(text), engine);
  if (engine.parseSynchronous === undefined) {
    const patient = parsePatient();
    return { ast: patient.ast(), evaluate: (context, bindings) => patient.evaluate(context, bindings) };
  }
  const atOnce = withLibrary(engine.parseSynchronous(text), engine);
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
          // Promises allow deeper recursion; and of two failures, theirs is the one to report.
        }
      }
      patient ??= parsePatient();
      return await patient.evaluate(context, bindings);
    },
  };
}

function withLibrary<T extends Pick<jsonata.Expression, 'registerFunction'>>(parsed: T, engine: Engine): T {
  for (const [name, implementation] of Object.entries(LIBRARY)) parsed.registerFunction(name, implementation);
  for (const { name, implementation, signature } of timelessFunctions(engine))
    parsed.registerFunction(name, implementation, signature);
  return parsed;
}
