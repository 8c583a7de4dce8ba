import { renderToString } from 'preact-render-to-string';
import { Layout } from './layout.tsx';
import type { Frame, PageContent } from './page-content.ts';

/** Renders a page as a whole HTML document. */
export function renderPage(page: PageContent, frame: Frame = { hasSite: true }): string {
  if (page.isFragment) return renderToString(<>{page.body}</>);
  return `<!doctype html>\n${renderToString(<Layout page={page} frame={frame} />)}\n`;
}
