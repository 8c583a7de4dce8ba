import type jsonata from 'jsonata';
import type { ExprNode } from 'jsonata';
import type { Engine, SynchronousExpression } from '../jsonata/engine.ts';
import { isSynchronous } from '../jsonata/is-synchronous.ts';
import { addFunctions } from './add-functions.ts';
import type { HelperFunctions, Helpers } from './helpers.ts';
import { variablesOf } from './syntax-tree.ts';

/** An expression that JSONata has parsed, with the functions of the library. */
export interface Evaluator {
  ast: ExprNode;
  /** Makes what the helpers define, if it is not made yet for these tables. Failures are left to `evaluate`. */
  prepare(bindings: Record<string, unknown>): Promise<void>;
  /**
   * @param context the value of `$`
   * @param bindings variables by name, without `$`
   * @returns what JSONata returns
   * @throws what JSONata throws
   */
  evaluate(context: unknown, bindings: Record<string, unknown>): Promise<unknown>;
}

/** An expression that JSONata has parsed, and the tables that its helpers were bound on. */
interface Form<T> {
  parsed: T;
  bound?: { tables: unknown };
}

/**
 * Parses an expression. It is evaluated without promises if the engine can do that and the result is the same.
 *
 * @param helpers functions that the expression may call; they are bound once for the tables of a build
 * @throws what JSONata throws for a text that is not an expression
 */
export function parseExpression(text: string, engine: Engine, helpers?: Helpers): Evaluator {
  const parseAsynchronous = (): Form<jsonata.Expression> => ({
    parsed: addFunctions(engine.parse(text), engine),
  });
  const evaluateAsynchronous = async (
    form: Form<jsonata.Expression>,
    context: unknown,
    bindings: Record<string, unknown>,
  ) => {
    if (helpers && form.bound?.tables !== bindings.tables)
      bind(form, bindings.tables, await helpers.promisedFunctionsFor(bindings.tables));
    return await form.parsed.evaluate(context, bindings);
  };
  let needsNoPromises = false;
  const prepare: Evaluator['prepare'] = async ({ tables }) => {
    try {
      if (needsNoPromises) helpers?.functionsFor(tables);
      else await helpers?.promisedFunctionsFor(tables);
    } catch {
      // `evaluate` fails in the same way.
    }
  };
  if (engine.parseSynchronous === undefined) {
    const form = parseAsynchronous();
    const evaluate: Evaluator['evaluate'] = (context, bindings) =>
      evaluateAsynchronous(form, context, bindings);
    return { ast: form.parsed.ast(), evaluate, prepare };
  }
  const synchronous: Form<SynchronousExpression> = {
    parsed: addFunctions(engine.parseSynchronous(text), engine),
  };
  const ast = synchronous.parsed.ast();
  const called = helpers && (helpers.reachedFrom(variablesOf(ast)).names.size > 0 ? helpers : undefined);
  needsNoPromises = isSynchronous(ast) && called?.synchronous !== false;
  let asynchronous: Form<jsonata.Expression> | undefined;
  return {
    ast,
    prepare,
    async evaluate(context, bindings) {
      if (needsNoPromises) {
        try {
          if (called && synchronous.bound?.tables !== bindings.tables)
            bind(synchronous, bindings.tables, called.functionsFor(bindings.tables));
          return synchronous.parsed.evaluate(context, bindings);
        } catch {
          // Promises allow deeper recursion. If the evaluation fails with them too, that failure is reported.
        }
      }
      asynchronous ??= parseAsynchronous();
      return await evaluateAsynchronous(asynchronous, context, bindings);
    },
  };
}

function bind(
  form: Form<Pick<jsonata.Expression, 'assign'>>,
  tables: unknown,
  functions: HelperFunctions,
): void {
  for (const [name, implementation] of Object.entries(functions)) form.parsed.assign(name, implementation);
  form.bound = { tables };
}
