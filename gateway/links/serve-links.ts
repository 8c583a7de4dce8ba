import type { ServedPart } from '../commands/door.ts';
import { addLinkOptions, chooseLinkScheme, type LinkOptions } from './shared/link-options.ts';
import { createLinks } from './shared/links.ts';
import { addHandOverOption, chooseHandOver, type HandOverOptions } from './hand-over.ts';

/** What signed links add to `gateway serve`. */
export const SERVED_LINKS: ServedPart = {
  addOptions(command) {
    addLinkOptions(command);
    addHandOverOption(command);
  },
  prepare({ command }) {
    const options = command.opts<LinkOptions & HandOverOptions & { s3Endpoint?: string }>();
    const openScheme = chooseLinkScheme(options, options.s3Endpoint, Date.now);
    const handOver = chooseHandOver(options);
    return ({ store, now }) => {
      const links = createLinks(now);
      return { links: { ...links, handOver }, open: async () => links.signBy(await openScheme(store)) };
    };
  },
};
