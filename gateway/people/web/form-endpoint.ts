import type { ClientAddress, EndpointHandler, Incoming } from '../../http/incoming.ts';
import { MAX_FORM_BYTES, readForm } from './form.ts';
import { type Page, sendPage } from './page.tsx';
import { refuseCrossSite } from './same-site.ts';

/** What pages with forms need. */
export interface FormServices {
  /** The public URL of the gateway, such as `https://api.example.org`; links in mails begin with it. */
  publicUrl: () => string;
  clientAddress: ClientAddress;
}

/** Makes a handler that responds with a page. */
export function respondWith(makePage: (request: Incoming) => Page | Promise<Page>): EndpointHandler {
  return async (request, response) => sendPage(request, response, await makePage(request));
}

/**
 * Makes a handler that reads a form, which must come from a page of this gateway, and responds with a page.
 *
 * @param maxBytes the maximum length of the form
 */
export function handleForm(
  { publicUrl }: FormServices,
  makePage: (form: ReadonlyMap<string, string>, request: Incoming) => Promise<Page>,
  maxBytes = MAX_FORM_BYTES,
): EndpointHandler {
  return respondWith(async (request) => {
    refuseCrossSite(request, publicUrl());
    return await makePage(await readForm(request, maxBytes), request);
  });
}
