import type { DistFollower } from '../catalog/follow-dist.ts';
import { serveAssets } from '../../parts/site/layout/serve-assets.ts';
import type { WrittenLog } from '../log/log.ts';
import { mcpEndpoint } from '../../parts/mcp/endpoint.ts';
import type { Faults } from '../../parts/metrics/sources.ts';
import { peopleEndpoints, peopleServices } from '../../parts/people/people.ts';
import { Gateway } from '../server.ts';
import { securityTxtEndpoint } from '../../parts/site/security-txt.ts';
import { siteEndpoints } from '../../parts/site/site.ts';
import type { LinkScheme } from '../snapshot-links/link-scheme.ts';
import type { Store } from '../store/store.ts';
import type { PeopleSettings } from '../../parts/people/commands/people-settings.ts';
import type { ServedMetrics } from '../../parts/metrics/serve-metrics.ts';
import type { ServeOptions } from './serve-options.ts';

/** What a gateway is made of. */
export interface Run {
  follower: DistFollower;
  store: Store;
  log: WrittenLog;
  now: () => number;
  linkScheme: LinkScheme;
  settings: PeopleSettings;
  options: ServeOptions;
  faults: Faults;
}

/**
 * Puts a gateway together, which does not listen yet.
 *
 * @returns it, the options of its jobs, and where to set the address that it listens on
 */
export function makeGateway(
  { settings, options, linkScheme, ...parts }: Run,
  metrics: ServedMetrics | undefined,
) {
  const { store, log, now } = parts;
  const { clientAddress, isFromProxy } = options.trustedProxy;
  const reach = { address: '' };
  const publicUrl = () => options.publicUrl ?? reach.address;
  const site = siteEndpoints({
    ...{ ...parts, ...describeSite(options, settings), publicUrl },
    ...{ archive: () => gateway.archive, findUnreadiness: () => gateway.findUnreadiness() },
  });
  const peopleOptions = { ...parts, ...settings, publicUrl, clientAddress, joinLinks: options.proUrl };
  const gateway: Gateway = new Gateway({
    ...parts,
    observe: metrics?.observe,
    people: peopleServices(store),
    linkScheme,
    apiEndpoints: (api) => [mcpEndpoint({ api, log, publicUrl })],
    endpoints: [...peopleEndpoints(peopleOptions), ...site, ...securityEndpoints(options, now)],
    files: serveAssets,
    hasSite: options.site,
    plainHttp: options.plainHttp,
    isFromProxy,
    clientAddress,
    isHttpsOnly: options.publicUrl?.startsWith('https:') === true,
  });
  return { gateway, peopleOptions, reach };
}

/** What the options say about the site. */
function describeSite({ site, proPrice, proUrl }: ServeOptions, { signupMailer }: PeopleSettings) {
  return {
    isOn: site,
    pro: { price: proPrice, links: proUrl },
    hasSignup: signupMailer !== undefined,
  };
}

function securityEndpoints({ securityContact, securityExpires, publicUrl }: ServeOptions, now: () => number) {
  if (securityContact === undefined) return [];
  return [securityTxtEndpoint({ contact: securityContact, expires: securityExpires, publicUrl, now })];
}
