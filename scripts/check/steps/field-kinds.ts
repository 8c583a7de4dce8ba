import { pointerTo } from '../../json-pointer.ts';
import { recordError } from '../check.ts';
import { describeKind, type Kind } from '../kinds.ts';
import type { AttributeProfile } from './profile.ts';
import { describeList, type StepCheck, type StepFinding } from './step.ts';

export const fieldKindsCheck: StepCheck = {
  name: 'field-kinds',
  description: 'An attribute stays a number, a text, a boolean, an object or a list of one of them.',
  check: ({ lists, before: { build } }) =>
    lists.flatMap(({ before, after, place, records, changes }) =>
      changes
        .filter(({ change }) => change === 'kind')
        .map(({ key }): StepFinding => {
          const { path, kind, first } = after.attributes.get(key) as AttributeProfile;
          const found = describeKind(kind as Kind);
          const expected = `${describeKind(before.attributes.get(key)?.kind as Kind)}, as "${key}" was in build ${build}`;
          const record = records[first];
          return {
            of: `${after.list}.${key}`,
            ...(record
              ? recordError(record, pointerTo('', ...path), found, expected)
              : { place, found: `${found} at "${key}" of ${describeList(after)}`, expected }),
          };
        }),
    ),
};
