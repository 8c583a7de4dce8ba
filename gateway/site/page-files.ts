import type { ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import sirv from 'sirv';
import type { Incoming } from '../http/incoming.ts';
import { onClose } from '../wire/on-close.ts';
import { COMMON_HEADERS } from '../wire/respond.ts';
import { pageHeaders } from './page-headers.ts';

/** Responds with a page's file, or calls `next` if there is none. */
export type PageHandler = (request: Incoming, response: ServerResponse, next: () => void) => void;

/** The name by which metrics count the files of all pages together. */
const PAGE = 'page';
// Not `pathname`: a folder may have a space in its name.
const PAGES = fileURLToPath(new URL('./pages/', import.meta.url));

/**
 * Makes the handler of the static pages.
 *
 * @param onError called when a file cannot be read, which sirv leaves to end the process
 */
export function pageFiles(
  onError: (error: unknown, request: Incoming, response: ServerResponse) => void,
): PageHandler {
  const headers = new Map(Object.entries({ ...COMMON_HEADERS, ...pageHeaders(PAGES) }));
  const setHeaders = (response: ServerResponse) => response.setHeaders(headers);
  const send = sirv(PAGES, { etag: true, extensions: ['html'], setHeaders });
  return (request, response, next) => {
    request.pattern = PAGE;
    response.once('pipe', (file) => {
      file.on('error', (error) => onError(error, request, response));
      onClose(response, () => file.destroy());
    });
    // sirv accepts any Range, even an invalid one. The pages are short, so each is sent whole (RFC 9110, 14.2).
    delete request.headers.range;
    send(request, response, next);
  };
}
