import { addCopyButtons } from './lib/copy-buttons.ts';
import { localize } from './lib/localize.ts';
import { suggestRecords } from './lib/suggest-records.ts';
import { watchBuild } from './lib/watch-build.ts';

localize(document, navigator.languages, Date.now());
addCopyButtons(document);
for (const place of document.querySelectorAll<HTMLElement>('.arrival')) watchBuild(place);
for (const field of document.querySelectorAll<HTMLInputElement>('.site-search input')) suggestRecords(field);
