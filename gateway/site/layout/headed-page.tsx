import type { FramedPage } from '../../http/incoming.ts';
import type { PageContent } from './page-content.ts';

/** Makes the content of a page whose title is its heading. */
export function headedPage({ body, ...page }: FramedPage): PageContent {
  return {
    ...page,
    body: (
      <>
        <h1>{page.title}</h1>
        <div class="prose">{body}</div>
      </>
    ),
  };
}
