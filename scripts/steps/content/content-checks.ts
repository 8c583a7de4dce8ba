import { attributeUndescribedCheck } from '../dictionary/attribute-undescribed.ts';
import { attributeUnexpectedCheck } from '../dictionary/attribute-unexpected.ts';
import { attributeUnservedCheck } from './attribute-unserved.ts';
import type { ContentCheck } from './content.ts';
import { descriptionUnusedCheck } from '../dictionary/description-unused.ts';
import { imageHostsCheck } from '../dictionary/image-hosts.ts';
import { joinMissedCheck } from './join-missed.ts';
import { joinPartialCheck } from './join-partial.ts';
import { languageCopiedCheck } from './language-copied.ts';
import { languageScriptCheck } from './language-script.ts';
import { languageUnknownCheck } from './language-unknown.ts';
import { mappingAttributesCheck } from './mapping-attributes.ts';
import { namesRepeatedCheck } from './names-repeated.ts';
import { numbersImplausibleCheck } from './numbers-implausible.ts';
import { percentageUnitCheck } from '../dictionary/percentage-unit.ts';
import { textDamagedCheck } from './text-damaged.ts';
import { textEntitiesCheck } from './text-entities.ts';
import { textUnresolvedCheck } from './text-unresolved.ts';
import { whereDropsAllCheck } from './where-drops-all.ts';

/** Checks of mappings that cannot be right. */
export const MAPPING_CHECKS: readonly ContentCheck<string>[] = [
  whereDropsAllCheck,
  joinMissedCheck,
  joinPartialCheck,
  attributeUnservedCheck,
  mappingAttributesCheck,
];

/** Checks of numbers and texts. */
export const TEXT_CHECKS: readonly ContentCheck<string>[] = [
  numbersImplausibleCheck,
  textDamagedCheck,
  textEntitiesCheck,
  textUnresolvedCheck,
  namesRepeatedCheck,
  languageScriptCheck,
  languageCopiedCheck,
  languageUnknownCheck,
];

/** Checks of the attribute dictionary. */
export const DICTIONARY_CHECKS: readonly ContentCheck<string>[] = [
  attributeUndescribedCheck,
  attributeUnexpectedCheck,
  percentageUnitCheck,
  imageHostsCheck,
  descriptionUnusedCheck,
];

/** All checks of what a build says. */
export const CONTENT_CHECKS: readonly ContentCheck<string>[] = [
  ...MAPPING_CHECKS,
  ...TEXT_CHECKS,
  ...DICTIONARY_CHECKS,
];
