import { CHECKS } from '../../../scripts/check/rules.ts';
import { CHANGE_RULES } from '../changes/change-rules.ts';
import type { Example, ExampleRule } from './cases.ts';
import { DEFINITION_RULES } from './reported/definition-rules.ts';
import { FILE_RULES } from './reported/file-rules.ts';
import { RECORD_RULES } from './reported/limit-rules.ts';
import { MAPPING_RULES } from './reported/mapping-rules.ts';

const FAILS: Readonly<Record<string, Example>> = {
  'roster-size': { '1.0/characters.json': [] },
  'character-schema': { '1.0/characters.json': [{ id: 'ann', name: 'Ann', rarity: 4.5 }] },
  ids: { '1.0/items.json': [{ id: 'a' }, { id: 'a' }] },
  'attribute-names': { '1.0/items.json': [{ 'max.level': 90 }] },
  'attribute-kinds': { '1.0/items.json': [{ cost: 1 }, { cost: 'free' }] },
  'dataset-keys': { '1.0/history.json': [] },
  'required-datasets': { '1.0/pull_planner.json': {} },
  'dataset-schema': {
    'game.json': { title: 'Game', schemas: { items: 'items.schema.json' } },
    'items.schema.json': { properties: { cost: { type: 'integer' } } },
    '1.0/items.json': [{ cost: 'free' }],
  },
};

/** All checks, except those of the machine (`MACHINE_RULES`). The first ones are reported where files are read and compiled. */
export const RULES: readonly ExampleRule[] = [
  ...FILE_RULES,
  ...DEFINITION_RULES,
  ...MAPPING_RULES,
  ...CHECKS.map((rule) => ({ ...rule, fails: FAILS[rule.name] ?? {} })),
  ...CHANGE_RULES,
  ...RECORD_RULES,
];
