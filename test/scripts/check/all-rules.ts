import { CHECKS, type Rule } from '../../../scripts/check/rules.ts';
import { CHANGE_RULES } from '../changes/change-rules.ts';
import { DEFINITION_RULES } from './reported/definition-rules.ts';
import { FILE_RULES } from './reported/file-rules.ts';
import { RECORD_RULES } from './reported/limit-rules.ts';
import { MAPPING_RULES } from './reported/mapping-rules.ts';

/** All checks, except those of the machine (`MACHINE_RULES`). The first ones are reported where files are read and compiled. */
export const RULES: readonly Rule[] = [
  ...FILE_RULES,
  ...DEFINITION_RULES,
  ...MAPPING_RULES,
  ...CHECKS,
  ...CHANGE_RULES,
  ...RECORD_RULES,
];
