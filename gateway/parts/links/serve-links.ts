import type { ServedPart } from '../../core/commands/door.ts';
import { addLinkOptions, chooseLinkScheme, type LinkOptions } from '../../shared/links/link-options.ts';
import { createLinks } from '../../shared/links/links.ts';

/** What signed links add to `gateway serve`. */
export const SERVED_LINKS: ServedPart = {
  addOptions: addLinkOptions,
  prepare({ command }) {
    const options = command.opts<LinkOptions & { s3Endpoint?: string }>();
    const openScheme = chooseLinkScheme(options, options.s3Endpoint, Date.now);
    return ({ store, now }) => {
      const links = createLinks(now);
      return { links, open: async () => links.signBy(await openScheme(store)) };
    };
  },
};
