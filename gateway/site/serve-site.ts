import type { Command } from 'commander';
import type { Core, RunningPart, ServedPart } from '../commands/door.ts';
import type { ServeOptions } from '../commands/serve-options.ts';
import { type Facts, factsOf } from '../facts/facts.ts';
import { pageFrame } from './layout/page-frame.ts';
import { serveAssets } from './layout/serve-assets.ts';
import { PageBudget } from './page-budget.ts';
import { securityTxtEndpoint } from './security-txt.ts';
import { addSecurityTxtOptions, type SecurityTxtOptions } from './security-txt-options.ts';
import { makePages } from './site.ts';
import { addSiteOptions, type SiteOptions } from './site-options.ts';

type Options = SiteOptions & SecurityTxtOptions & Pick<ServeOptions, 'publicUrl'>;

/** The pages of `gateway serve`, and how all pages look. */
export const SERVED_SITE: ServedPart = {
  addOptions(command: Command) {
    addSiteOptions(command);
    addSecurityTxtOptions(command);
  },
  prepare(setup) {
    const { command } = setup;
    const facts = factsOf(setup);
    const options = command.opts<Options>();
    facts.hasSite = options.site !== 'none';
    facts.joinLinks = options.proUrl;
    return (core) => makeSite(core, options, facts);
  },
};

function makeSite(core: Core, options: Options, { hasSignup }: Facts): RunningPart {
  const { now, gateway } = core;
  const { site: mode, siteBudget, siteCommonBudget, images, proPrice: price, proUrl: links } = options;
  const { endpoints, frame } = makePages({
    ...{ ...core, mode, images, hasSignup, pro: { price, links } },
    budget: new PageBudget({ pages: siteBudget, common: siteCommonBudget }),
    archive: () => gateway().archive,
    read: (asked, view) => gateway().read(asked, view),
    findUnreadiness: () => gateway().findUnreadiness(),
  });
  return {
    endpoints: [...endpoints, ...securityEndpoints(options, now)],
    files: (onError) => serveAssets(onError, frame.hasSite),
    frame: pageFrame(frame),
  };
}

function securityEndpoints({ securityContact, securityExpires, publicUrl }: Options, now: () => number) {
  if (securityContact === undefined) return [];
  return [securityTxtEndpoint({ contact: securityContact, expires: securityExpires, publicUrl, now })];
}
