import type { ServerResponse } from 'node:http';
import type { View } from '../catalog/view.ts';
import type { Reply, ReplyPlace } from '../wire/reply-cache.ts';
import { type Result, sendResult, suffices } from '../wire/respond.ts';
import { type FileResult, sendFile } from '../wire/send-file.ts';
import type { ApiIncoming } from './api-access.ts';
import type { Route } from './routes/route.ts';

/** A route's result, with the view it was made from and the place of its reply in the cache. */
export interface Made {
  result: Result | FileResult;
  place: ReplyPlace;
  view: View;
}

/** Sends a result; from then on its reply is in the cache. */
export function sendMade(
  { isPersonal }: Route,
  request: ApiIncoming,
  response: ServerResponse,
  { result, place, view }: Made,
): void | Promise<void> {
  if ('files' in result) return sendFile(request, response, result);
  return sendResult(request, response, result, place, {
    view: isPersonal ? undefined : view.mark,
    further: request.charge?.headers,
  });
}

/** Returns the cached reply when it is from the same view and enough for this request. */
export function findReply(request: ApiIncoming, { kept }: ReplyPlace, { mark }: View): Reply | undefined {
  return kept?.view === mark && suffices(kept, request) ? kept : undefined;
}
