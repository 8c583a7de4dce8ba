import { type HttpProblem, PROBLEMS, type ProblemCode } from '../../http/problem.ts';
import { NearProblem } from '../site-page.ts';
import type { PageContent } from './page-content.ts';

/** What a visitor can do about a problem, as links. */
const WAYS: Partial<Record<ProblemCode, readonly (readonly [path: string, label: string])[]>> = {
  'unknown-game': [['/games', 'All games']],
  'unknown-build': [['/games', 'All games']],
  'unknown-character': [['/games', 'All games']],
};
const ANYWHERE = [
  ['/games', 'Games'],
  ['/docs', 'Documentation'],
  ['/status', 'Status'],
] as const;

/** Makes the page that shows a problem in a browser: what was wrong, and where to go from there. */
export function problemPage(problem: HttpProblem, hasSite: boolean): PageContent {
  const { code, message } = problem;
  const { title, status } = PROBLEMS[code];
  const ways = hasSite ? [['/', 'Home page'] as const, ...(WAYS[code] ?? ANYWHERE)] : [];
  return {
    title,
    path: '',
    width: 'text',
    body: (
      <>
        <p class="kicker">Error {status}</p>
        <h1>{title}</h1>
        <p>
          {message.slice(0, 1).toUpperCase()}
          {message.slice(1)}.
        </p>
        {problem instanceof NearProblem && problem.near.length > 0 && (
          <>
            <h2>What is there</h2>
            <ul class="link-row">
              {problem.near.map(({ href, name }) => (
                <li key={href}>
                  <a href={href}>{name}</a>
                </li>
              ))}
            </ul>
            <h2>Where to go</h2>
          </>
        )}
        {ways.length > 0 && (
          <ul class="link-row">
            {ways.map(([path, label]) => (
              <li key={path}>
                <a href={path}>{label}</a>
              </li>
            ))}
          </ul>
        )}
        <p class="muted">
          Programs get this error as JSON with the code <a href={`/problems#${code}`}>{code}</a>.
        </p>
      </>
    ),
  };
}
