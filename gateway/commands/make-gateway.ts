import { findKey } from '../store/accounts/accounts.ts';
import type { People } from '../api/people.ts';
import { Gateway, type GatewayParts } from '../server.ts';
import type { Store } from '../store/store.ts';
import type { Core, MakePart, RunningPart } from './door.ts';
import type { ServeOptions } from './serve-options.ts';

/** What a gateway is made of. */
export interface Run extends Pick<Core, 'follower' | 'store' | 'log' | 'now' | 'faults' | 'routes'> {
  options: ServeOptions;
  makers: readonly MakePart[];
}

/** A gateway with its parts. */
export interface MadeGateway {
  gateway: Gateway;
  parts: readonly RunningPart[];
  publicUrl: () => string;
  /** Where to set the address that it listens on. */
  reach: { address: string };
}

/** Puts a gateway together, which does not listen yet. */
export function makeGateway({ options, faults, makers, routes, ...opened }: Run): MadeGateway {
  const { follower, store, log, now } = opened;
  const { clientAddress, isFromProxy } = options.trustedProxy;
  const reach = { address: '' };
  const publicUrl = () => options.publicUrl ?? reach.address;
  const core: Core = {
    ...{ ...opened, clientAddress, publicUrl, faults, routes },
    address: () => reach.address,
    gateway: () => gateway,
  };
  const parts = makers.map((make) => make(core));
  const gateway: Gateway = new Gateway({
    ...{ follower, store, routes, log, now, clientAddress, isFromProxy },
    ...joinParts(parts, store),
    isHttpsOnly: options.publicUrl?.startsWith('https:') === true,
  });
  return { gateway, parts, publicUrl, reach };
}

/** What the parts add to a gateway: all endpoints, and of anything else what the first part has. */
export function joinParts(parts: readonly RunningPart[], store: Store): GatewayParts & { people: People } {
  const first = <Name extends keyof GatewayParts>(name: Name): GatewayParts[Name] =>
    parts.find((part) => part[name])?.[name];
  const people: People = { findKey: (hash) => findKey(store, hash) };
  return {
    people: Object.assign(people, ...parts.map((part) => part.people)),
    endpoints: parts.flatMap((part) => part.endpoints ?? []),
    apiEndpoints: (api) => parts.flatMap((part) => part.apiEndpoints?.(api) ?? []),
    links: first('links'),
    files: first('files'),
    frame: first('frame'),
    makeKeys: first('makeKeys'),
    checkStore: first('checkStore'),
    meter: first('meter'),
    limits: first('limits'),
    keyUses: first('keyUses'),
    replies: first('replies'),
    guard: first('guard'),
    writer: first('writer'),
    observe: first('observe'),
  };
}
