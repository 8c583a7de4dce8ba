import type { ContentCheck } from './content.ts';
import { languageCopiedCheck } from './language-copied.ts';
import { languageScriptCheck } from './language-script.ts';
import { namesRepeatedCheck } from './names-repeated.ts';
import { textDamagedCheck } from './text-damaged.ts';
import { textEntitiesCheck } from './text-entities.ts';
import { textUnresolvedCheck } from './text-unresolved.ts';

/** All checks of what a build says. */
export const CONTENT_CHECKS: readonly ContentCheck<string>[] = [
  textDamagedCheck,
  textEntitiesCheck,
  textUnresolvedCheck,
  namesRepeatedCheck,
  languageScriptCheck,
  languageCopiedCheck,
];
