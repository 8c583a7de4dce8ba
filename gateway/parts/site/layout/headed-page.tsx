import type { VNode } from 'preact';
import type { PageContent } from './page-content.ts';
import { RawHtml } from './raw-html.tsx';

/** A page whose title is its heading. A body that is a text is HTML that a template has made. */
export type HeadedPage = Omit<PageContent, 'body'> & { body: string | VNode };

/** Makes the content of a page whose title is its heading. */
export function headedPage({ body, ...page }: HeadedPage): PageContent {
  return {
    ...page,
    body: (
      <>
        <h1>{page.title}</h1>
        {typeof body === 'string' ? <RawHtml class="prose" html={body} /> : body}
      </>
    ),
  };
}
