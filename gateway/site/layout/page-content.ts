import type { ComponentChildren } from 'preact';
import type { JsonObject } from '../../../scripts/format/json.ts';
import type { HttpProblem } from '../../http/problem.ts';

/** What a page shows inside the frame that all pages share. */
export interface PageContent {
  /** The title in the browser; the name of the product is added. */
  title: string;
  /** A sentence for search engines and previews; a page without one is not indexed. */
  description?: string | undefined;
  /** Whether search engines are kept from it, although it has a description. */
  isUnlisted?: boolean;
  /** What the page is about, for search engines: an object of schema.org. */
  subject?: JsonObject;
  /** The page's own path, which marks its link in the navigation. */
  path: string;
  /** How wide its content is: a column of text, as much as tables need, or the whole window. */
  width: 'text' | 'wide' | 'full';
  /** Prebuilt libraries that are run before its islands. */
  libraries?: readonly string[];
  /** The islands of JavaScript that it loads, besides that of all pages. */
  islands?: readonly string[];
  /** Whether only its content is sent, for a script that puts it into another page. */
  isFragment?: boolean;
  /** Its content, with one `h1`. */
  body: ComponentChildren;
  /** What it says does not exist: the status of the page, and what programs get in its place. */
  problem?: HttpProblem | undefined;
}

/** What the frame of a page depends on besides its content. */
export interface Frame {
  /** Whether the gateway has the pages of its site, to which the frame links. */
  hasSite: boolean;
  /** Whether it has a search over all games. */
  hasSearch?: boolean;
  /** Where people reach the gateway, without a path; without it, pages name no canonical address. */
  publicUrl?: () => string;
}
