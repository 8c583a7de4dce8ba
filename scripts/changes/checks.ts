import * as content from './content-checks.ts';
import type { ChangeCheck, CheckRule } from './data.ts';
import * as dictionary from './dictionary-checks.ts';
import * as lists from './list-checks.ts';
import * as mapping from './mapping-checks.ts';
import * as single from './single-checks.ts';
import * as values from './value-checks.ts';

export const BETWEEN_CHECKS: readonly ChangeCheck[] = [
  lists.idsRenumberedCheck,
  lists.datasetGoneCheck,
  lists.recordsLostCheck,
  lists.newRecordsIncompleteCheck,
  values.fieldKindsCheck,
  values.valuesLostCheck,
  values.valuesChangedCheck,
  values.valuesMovedCheck,
  values.categoriesChangedCheck,
  single.namesChangedCheck,
  single.valuesJumpedCheck,
];

export const MAPPING_CHECKS: readonly ChangeCheck[] = [
  mapping.whereDropsAllCheck,
  mapping.attributeUnservedCheck,
];

export const CONTENT_CHECKS: readonly ChangeCheck[] = [
  content.numbersImplausibleCheck,
  content.textDamagedCheck,
  content.textUnresolvedCheck,
  content.languageScriptCheck,
];

export const DICTIONARY_CHECKS: readonly ChangeCheck[] = [
  dictionary.attributeUndescribedCheck,
  dictionary.attributeUnexpectedCheck,
];

/** All checks that an override can lift. */
export const CHANGE_CHECKS: readonly ChangeCheck[] = [
  ...MAPPING_CHECKS,
  ...CONTENT_CHECKS,
  ...DICTIONARY_CHECKS,
  ...BETWEEN_CHECKS,
];

export const GAME_CHECKS: readonly mapping.GameCheck[] = [mapping.gameSizeCheck];

export const RULES: readonly CheckRule[] = [...GAME_CHECKS, ...CHANGE_CHECKS];
/** The checks whose thresholds a game can set. */
export const SETTABLE = RULES.filter(({ thresholds }) => thresholds !== undefined);
