import { addCopyButtons } from './lib/copy-buttons.ts';
import { localize } from './lib/localize.ts';
import { watchBuild } from './lib/watch-build.ts';

localize(document, navigator.languages, Date.now());
addCopyButtons(document);
for (const place of document.querySelectorAll<HTMLElement>('.arrival')) watchBuild(place);
