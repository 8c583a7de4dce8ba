import type { VNode } from 'preact';
import type { Plot } from '../model/plot-data.ts';
import type { Remaining } from '../model/quota.ts';

/** The response to a request of the API. */
export interface ApiReply<Body = unknown> {
  /** 0 if the gateway could not be reached. */
  status: number;
  /** The JSON of a success; undefined otherwise. */
  body: Body | undefined;
  /** What was wrong, in a sentence; undefined for a success. */
  problem: string | undefined;
  /** After how many seconds to try again; undefined if the response does not say. */
  retryAfter: number | undefined;
  /** What is left of the caps of the account and of the key; empty without caps. */
  remaining: Remaining[];
  /** The build that it is of; undefined if it does not say. */
  build?: string | undefined;
}

/** A record that the search of the site found. */
export interface FoundRecord {
  id: string;
  name: string;
}

/** What the views need of a browser. They do not touch it themselves, so that a server can render them. */
export interface Browser {
  /** Where the gateway is, without a path. */
  origin: string;
  /** The language of the reader. */
  locale: string;
  /** The key of this tab; undefined without one. */
  key(): string | undefined;
  /** What the reader chose before, by a name; undefined without a choice. */
  choice(name: string): string | undefined;
  /** Keeps a choice in this browser; an empty one is forgotten. */
  keepChoice(name: string, value: string): void;
  /** Keeps a key for this tab, or forgets it. */
  keepKey(key: string | undefined): void;
  /**
   * Sends a request to the API, with the key of this tab, or reads what the island of a page of this site was rendered with.
   *
   * @param signal cancels it
   */
  ask(path: string, signal: AbortSignal): Promise<ApiReply>;
  /**
   * Finds characters of a game by name, in any language.
   *
   * @param isApi whether to search the API with the key of this tab, and not the site
   * @param signal cancels it
   */
  search(text: string, game: string, isApi: boolean, signal: AbortSignal): Promise<FoundRecord[]>;
  /** The path of the page's address, encoded. */
  path(): string;
  /** The query of the page's address, without `?`. */
  query(): string;
  /** Changes the query of the page's address. @param isStep whether the browser can go back to the one before */
  showQuery(query: string, isStep: boolean): void;
  /** Calls when the reader goes back or forth. @returns what ends it */
  onMove(listener: () => void): () => void;
  /** Renders into the element with an id, which is empty. */
  show(id: string, node: VNode): void;
  /** Hides the element with an id. */
  hide(id: string): void;
  copy(text: string): Promise<void>;
  /** Draws a line of a plot into an element. @returns what removes it */
  draw(element: object, plot: Plot, line: number): Promise<() => void>;
}
