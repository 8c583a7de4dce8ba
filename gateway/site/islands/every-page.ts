import { addCopyButtons } from './lib/copy-buttons.ts';
import { hideFailedPictures } from './lib/failed-pictures.ts';
import { localize } from './lib/localize.ts';
import { focusOnSlash, suggestRecords } from './lib/suggest-records.ts';
import { watchBuild } from './lib/watch-build.ts';

localize(document, navigator.languages, Date.now());
addCopyButtons(document);
hideFailedPictures(document);
for (const place of document.querySelectorAll<HTMLElement>('.arrival')) watchBuild(place);
const fields = [...document.querySelectorAll<HTMLInputElement>('.site-search input')];
for (const field of fields) suggestRecords(field);
for (const field of fields.slice(0, 1)) focusOnSlash(field);
