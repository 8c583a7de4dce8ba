import type { Translations } from '../query/translation.ts';
import { translateLabels } from './labels.ts';
import { languageTag, readLanguage } from './read-language.ts';
import { TranslatedRecords } from './translated-records.ts';
import { translate } from './translation.ts';

/** What the part offers to the core. */
export const LANGUAGES: Translations = {
  readLanguage,
  languageTag,
  translate,
  writeObject: (draft, json, code, own) => new TranslatedRecords(() => [json], code, own).write(draft, 0),
  translateLabels,
};
