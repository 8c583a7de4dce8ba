import type { HttpProblem, ProblemCode } from '../../core/http/problem.ts';

/** What to try after each error that another call can avoid. */
const NEXT_STEPS: Partial<Record<ProblemCode, string>> = {
  'invalid-parameter':
    'Correct the argument; describe_game lists the attributes of a collection and their values.',
  'pro-only':
    'This tool needs a Pro key. list_games, describe_game, search, get_character, compare and query_dataset work with this key.',
  'unknown-game': 'Call list_games for the slugs of the games.',
  'unknown-dataset': 'Call list_games: it lists the datasets of each game.',
  'unknown-character': 'Call search with the name of the character: it returns ids.',
  'unknown-record': 'Call query_dataset with q to find the id of the record.',
  'unknown-build': 'Call patch_history for the builds of the game, or use latest.',
  'uri-too-long': 'Use fewer ids, fields or filters, or several calls.',
  unavailable: 'Try again in a few seconds.',
};

/** Explains an error to a model: what was wrong, and what to try next. */
export function explainError(problem: HttpProblem): string {
  const { code, message, headers } = problem;
  const seconds = headers['Retry-After'];
  const next =
    code === 'quota-exceeded' ? `Wait ${seconds ?? 60} seconds before the next call.` : NEXT_STEPS[code];
  return `${code}: ${message}.${next === undefined ? '' : ` ${next}`}`;
}

/** What is said of a result that is too large even when it is cut. */
export const TOO_LARGE =
  'too-large: the result is too large even with its lists cut. Choose attributes with fields, or ask for less with limit.';
