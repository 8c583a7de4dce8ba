import { addCopyButtons } from './lib/copy-buttons.ts';
import { localize } from './lib/localize.ts';

localize(document, navigator.languages, Date.now());
addCopyButtons(document);
