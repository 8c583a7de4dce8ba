import type { ServerResponse } from 'node:http';
import sirv from 'sirv';
import type { FileHandler, Incoming } from '../../http/incoming.ts';
import { COMMON_HEADERS } from '../../http/respond.ts';
import { onClose } from '../../pages/on-close.ts';
import { ASSETS_FOLDER, ASSETS_PATH, WITHOUT_SITE_FOLDER } from './assets.ts';

/** The name by which metrics count all assets together. */
const ASSET = 'asset';
const FOREVER = 'public, max-age=31536000, immutable';
const A_DAY = 'public, max-age=86400';

/**
 * Makes the handler of the files that pages load. They are compressed once, when the code is compiled.
 *
 * @param onError called when a file cannot be read, which sirv leaves to end the process
 * @param hasSite whether the gateway has the guides to which some files link; without them, they link to nothing else
 */
export function serveAssets(
  onError: (error: unknown, request: Incoming, response: ServerResponse) => void,
  hasSite = true,
): FileHandler {
  const options = { etag: true, gzip: true, brotli: true, setHeaders };
  const sendAny = sirv(ASSETS_FOLDER, options);
  const sendFirst = hasSite ? undefined : sirv(WITHOUT_SITE_FOLDER, options);
  return (request, response, next) => {
    request.pattern = ASSET;
    response.once('pipe', (file) => {
      file.on('error', (error) => onError(error, request, response));
      onClose(response, () => file.destroy());
    });
    // sirv accepts any Range, even an invalid one. The files are short, so each is sent whole (RFC 9110, 14.2).
    delete request.headers.range;
    if (sendFirst) sendFirst(request, response, () => sendAny(request, response, next));
    else sendAny(request, response, next);
  };
}

function setHeaders(response: ServerResponse, path: string): void {
  for (const [name, value] of Object.entries(COMMON_HEADERS)) response.setHeader(name, value);
  if (path.endsWith('.txt')) response.setHeader('Content-Type', 'text/plain; charset=utf-8');
  if (path.endsWith('.atom')) response.setHeader('Content-Type', 'application/atom+xml; charset=utf-8');
  response.setHeader('Cache-Control', path.startsWith(ASSETS_PATH) ? FOREVER : A_DAY);
}
