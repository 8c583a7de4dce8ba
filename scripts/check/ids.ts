import type { Finding } from '../findings.ts';
import { quoteValue } from '../findings.ts';
import { type Check, listsOf, recordError } from './check.ts';

export const idsCheck: Check = {
  name: 'ids',
  description:
    'In a list either every record has an id or none has; ids are texts without commas, each once.',
  check: (build) =>
    listsOf(build).flatMap(([list, records]): Finding[] => {
      if (!records.some(({ record }) => record.id !== undefined)) return [];
      const seen = new Map<string, (typeof records)[number]>();
      return records.flatMap((record): Finding[] => {
        const id = record.record.id;
        if (typeof id !== 'string' || id === '' || id.includes(',')) {
          // The core schema says it of characters.
          if (list === 'characters') return [];
          return [
            recordError(
              'ids',
              record,
              '/id',
              quoteValue(id),
              `an id, since other records of ${list} have one`,
            ),
          ];
        }
        const twin = seen.get(id);
        seen.set(id, record);
        if (!twin) return [];
        const where = `${twin.place.file}${twin.place.line ? `:${twin.place.line}` : ''} ${twin.place.pointer}`;
        return [
          recordError(
            'ids',
            record,
            '/id',
            `"${id}" a second time in ${list}`,
            `an id of its own; ${where} has it`,
          ),
        ];
      });
    }),
};
