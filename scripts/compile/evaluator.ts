import type jsonata from 'jsonata';
import type { ExprNode } from 'jsonata';
import type { Engine } from '../jsonata/engine.ts';
import { isSynchronous } from '../jsonata/is-synchronous.ts';
import { LIBRARY } from './library/library.ts';
import { timelessFunctions } from './timeless.ts';

/** An expression that JSONata has parsed, with the functions of the library. */
export interface Evaluator {
  ast: ExprNode;
  /**
   * @param context the value of `$`
   * @param bindings variables by name, without `$`
   * @returns what JSONata returns
   * @throws what JSONata throws
   */
  evaluate(context: unknown, bindings: Record<string, unknown>): Promise<unknown>;
}

/**
 * Parses an expression. It is evaluated without promises if the engine can do that and the result is the same.
 *
 * @throws what JSONata throws for a text that is not an expression
 */
export function parseExpression(text: string, engine: Engine): Evaluator {
  const parseAsynchronous = () => withLibrary(engine.parse(text), engine);
  if (engine.parseSynchronous === undefined) {
    const parsed = parseAsynchronous();
    return { ast: parsed.ast(), evaluate: (context, bindings) => parsed.evaluate(context, bindings) };
  }
  const synchronous = withLibrary(engine.parseSynchronous(text), engine);
  const ast = synchronous.ast();
  const needsNoPromises = isSynchronous(ast);
  let asynchronous: jsonata.Expression | undefined;
  return {
    ast,
    async evaluate(context, bindings) {
      if (needsNoPromises) {
        try {
          return synchronous.evaluate(context, bindings);
        } catch {
          // Promises allow deeper recursion. If the evaluation fails with them too, that failure is reported.
        }
      }
      asynchronous ??= parseAsynchronous();
      return await asynchronous.evaluate(context, bindings);
    },
  };
}

function withLibrary<T extends Pick<jsonata.Expression, 'registerFunction'>>(parsed: T, engine: Engine): T {
  for (const [name, implementation] of Object.entries(LIBRARY)) parsed.registerFunction(name, implementation);
  for (const { name, implementation, signature } of timelessFunctions(engine))
    parsed.registerFunction(name, implementation, signature);
  return parsed;
}
