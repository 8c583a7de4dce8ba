import type { PageFrame } from '../../http/incoming.ts';
import { sendHtml } from '../../pages/send-html.ts';
import { headedPage } from './headed-page.tsx';
import type { Frame } from './page-content.ts';
import { problemPage } from './problem-page.tsx';
import { renderPage } from './render-page.tsx';

/** Makes the frame of all pages of a gateway, for those that other parts send. */
export function pageFrame(frame: Frame): PageFrame {
  return {
    render: (page) => renderPage(headedPage(page), frame),
    sendProblem(request, response, problem) {
      const { status, headers } = problem;
      const html = renderPage(problemPage(problem, frame.hasSite), frame);
      sendHtml(request, response, { status, headers, html });
    },
  };
}
