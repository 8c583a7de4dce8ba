import type { CompiledRecord } from '../compile/compile-build.ts';
import { quoteValue } from '../findings.ts';
import { type Check, type CheckFinding, describePlace, listsOf, recordError } from './check.ts';

export const idsCheck: Check = {
  name: 'ids',
  description:
    'In a list either every record has an id or none has; ids are texts without commas, each once.',
  check: (build) =>
    listsOf(build).flatMap(([list, records]): CheckFinding[] => {
      if (!records.some(({ record }) => record.id !== undefined)) return [];
      const seen = new Map<string, CompiledRecord>();
      return records.flatMap((record): CheckFinding[] => {
        const id = record.record.id;
        if (typeof id !== 'string' || id === '' || id.includes(',')) {
          // The core schema says it of characters.
          if (list === 'characters') return [];
          const expected =
            id === undefined
              ? `an id, since other records of ${list} have one`
              : 'an id: a text without commas, not empty';
          return [recordError(record, '/id', quoteValue(id), expected)];
        }
        const twin = seen.get(id);
        seen.set(id, record);
        if (!twin) return [];
        const expected = `an id of its own; ${describePlace(twin.place)} has it`;
        return [recordError(record, '/id', `"${id}" a second time in ${list}`, expected)];
      });
    }),
};
