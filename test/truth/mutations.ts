import { CATEGORY_MUTATIONS, NUMBER_MUTATIONS } from './column-mutations.ts';
import type { Mutation } from './mutation.ts';
import { NAME_MUTATIONS } from './name-mutations.ts';
import {
  SUBTLE_NAME_MUTATIONS,
  SUBTLE_NUMBER_MUTATIONS,
  SUBTLE_TABLE_MUTATIONS,
} from './subtle-mutations.ts';
import { FILE_MUTATIONS, TABLE_MUTATIONS } from './table-mutations.ts';

/** All kinds of mutations. */
export const MUTATIONS: readonly Mutation[] = [
  ...NUMBER_MUTATIONS,
  ...SUBTLE_NUMBER_MUTATIONS,
  ...CATEGORY_MUTATIONS,
  ...NAME_MUTATIONS,
  ...SUBTLE_NAME_MUTATIONS,
  ...TABLE_MUTATIONS,
  ...SUBTLE_TABLE_MUTATIONS,
  ...FILE_MUTATIONS,
];
