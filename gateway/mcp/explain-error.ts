import type { HttpProblem, ProblemCode } from '../http/problem.ts';
import type { Tool } from './tool.ts';

/** What to try after each error that another call can avoid. */
const NEXT_STEPS: Partial<Record<ProblemCode, string>> = {
  'invalid-parameter': 'Correct it; describe_game lists the attributes of a collection and their values.',
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

/** The arguments that an error can be about, the first of which a tool has. */
const ABOUT: Partial<Record<ProblemCode, readonly string[]>> = {
  'unknown-game': ['game'],
  'unknown-dataset': ['dataset', 'collection'],
  'unknown-character': ['id', 'ids'],
  'unknown-build': ['from'],
};
/** What only programs can do with an address. */
const ADDRESSES = /; \/api\/[^;]*$/;

/** Explains an error to a model: which argument was wrong, how, and what to try next. @param tool the one that was called */
export function explainError({ code, message, headers, members }: HttpProblem, tool?: Tool): string {
  const seconds = headers['Retry-After'];
  const next =
    code === 'quota-exceeded' ? `Wait ${seconds ?? 60} seconds before the next call.` : NEXT_STEPS[code];
  const argument = tool && argumentOf(code, members.parameter, tool);
  const where = argument === undefined ? '' : `the argument ${argument}: `;
  return `${code}: ${where}${message.replace(ADDRESSES, '')}.${next === undefined ? '' : ` ${next}`}`;
}

/** Finds the argument that a parameter of the API stands for: filters are elements of `filter`. */
function argumentOf(code: ProblemCode, parameter: unknown, { input }: Tool): string | undefined {
  const names = Object.keys((input as { properties?: object }).properties ?? {});
  const argument = [...(ABOUT[code] ?? []), String(parameter)].find((name) => names.includes(name));
  return argument ?? (code === 'invalid-parameter' && names.includes('filter') ? 'filter' : undefined);
}

/** What is said of a result that is too large even when it is cut. */
export const TOO_LARGE =
  'too-large: the result is too large even with its lists cut. Choose attributes with fields, or ask for less with limit.';
