import type { PageFrame } from '../../../core/http/page-frame.ts';
import { headedPage } from './headed-page.tsx';
import type { Frame } from './page-content.ts';
import { problemPage } from './problem-page.tsx';
import { renderPage } from './render-page.tsx';

/** Makes the frame of all pages of a gateway, for those that other parts send. */
export function pageFrame(frame: Frame): PageFrame {
  return {
    render: (page) => renderPage(headedPage(page), frame),
    renderProblem: (problem) => renderPage(problemPage(problem, frame.hasSite), frame),
  };
}
