import type { CompiledRecord } from '../compile/compile-build.ts';
import { quoteValue } from '../findings/findings.ts';
import { RESERVED_IDS } from '../format/dist-format.ts';
import { type Check, describePlace, listsOf, recordError } from './check.ts';

export const idsCheck: Check = {
  name: 'ids',
  description:
    'In a list, all records have an id, or none. An id is a text without commas, and no two records share one.',
  scope: 'build',
  severity: 'error',
  passes: { '1.0/items.json': [{ id: 'a' }, { id: 'A' }] },
  fails: { '1.0/items.json': [{ id: 'a' }, { id: 'a' }] },
  *check(build) {
    for (const [list, records] of listsOf(build)) {
      if (!records.some(({ record }) => record.id !== undefined)) continue;
      const seen = new Map<string, CompiledRecord>();
      for (const record of records) {
        const id = record.record.id;
        if (typeof id !== 'string' || id === '' || id.includes(',')) {
          // For characters, the check `character-schema` reports it.
          if (list === 'characters') continue;
          const expected =
            id === undefined
              ? `an id, since other records of ${list} have one`
              : 'an id: a text without commas, not empty';
          yield recordError(record, '/id', quoteValue(id), expected);
          continue;
        }
        const twin = seen.get(id);
        seen.set(id, record);
        if (!twin) continue;
        const expected = `an id that no other record has; ${describePlace(twin.place)} has this one`;
        yield recordError(record, '/id', `"${id}" a second time in ${list}`, expected);
      }
    }
  },
};

const reserved = new Set<unknown>(RESERVED_IDS);

export const reservedIdsCheck: Check = {
  name: 'reserved-ids',
  description:
    'No id is an address that the API uses for something else: such a record is in lists, but has no address.',
  scope: 'build',
  severity: 'warning',
  passes: { '1.0/items.json': [{ id: 'a' }] },
  fails: { '1.0/items.json': [{ id: 'random' }] },
  *check(build) {
    for (const [, records] of listsOf(build)) {
      for (const record of records) {
        const { id } = record.record;
        if (!reserved.has(id)) continue;
        const expected = `an id other than ${RESERVED_IDS.join(', ')}, for example with a prefix`;
        yield recordError(record, '/id', quoteValue(id), expected);
      }
    }
  },
};
