import type { Charge } from '../access/charge.ts';
import type { Caller } from '../access/ports.ts';
import type { Incoming } from '../http/incoming.ts';
import type { Route } from './route.ts';

/** A request while the API responds to it: `caller` once its key is known, `charge` once its account is charged, `client`, its IP address, for files. */
export interface ApiIncoming extends Incoming {
  caller?: Caller;
  charge?: Charge;
  client?: string;
}

/** A GET that a part of the gateway makes itself, instead of the client whose request it handles. */
export interface Asked {
  route: Route;
  /** The path, and the query string with its `?`, as a client would send them. */
  path: string;
  search: string;
  /** The parameters in the path, decoded. */
  params: Readonly<Record<string, string>>;
}

/** What the rest of a gateway can do with the API, for a client whose request it handles. */
export interface ApiAccess {
  /** The route table. */
  readonly routes: readonly Route[];
  /**
   * Finds the caller by the key in X-API-Key, and remembers it in the request.
   *
   * @throws HttpProblem as every request of the API
   */
  identify(request: ApiIncoming): Caller | Promise<Caller>;
  /**
   * Makes the JSON of a 200. It counts, and shows, what the request that it stands for would.
   *
   * @param request one whose caller was identified
   * @throws the error of the request that it stands for
   */
  ask(request: ApiIncoming, asked: Asked): Promise<Buffer>;
  /** Returns whether a dataset that the caller may see is a list or one object; undefined if there is none. */
  kindOf(request: ApiIncoming, game: string, dataset: string): 'list' | 'object' | undefined;
}
