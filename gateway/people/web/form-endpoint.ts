import type { IncomingMessage } from 'node:http';
import type { ClientAddress } from '../../http/client-address.ts';
import type { EndpointHandler } from '../../http/endpoint.ts';
import { LONGEST_FORM, readForm } from './form.ts';
import { type Page, sendPage } from './page.ts';
import { refuseCrossSite } from './same-site.ts';

/** What pages with forms have to know of the way that people reach them. */
export interface FormServices {
  /** The address by which people reach the gateway, as `https://api.example.org`; links in mails begin with it. */
  publicUrl: () => string;
  clientAddress: ClientAddress;
}

/** Answers with a page. */
export function respondWith(makePage: (request: IncomingMessage) => Page | Promise<Page>): EndpointHandler {
  return async (request, response) => sendPage(request, response, await makePage(request));
}

/**
 * Answers a form, sent by a page of this gateway, with a page.
 *
 * @param longest in bytes
 */
export function handleForm(
  { publicUrl }: FormServices,
  makePage: (form: ReadonlyMap<string, string>, request: IncomingMessage) => Promise<Page>,
  longest = LONGEST_FORM,
): EndpointHandler {
  return respondWith(async (request) => {
    refuseCrossSite(request, publicUrl());
    return await makePage(await readForm(request, longest), request);
  });
}
