import { atLine } from '../../compile/expression.ts';
import type { StepFinding } from '../step.ts';
import { findUnserved } from './attribute-unserved.ts';
import type { ContentCheck } from './content.ts';
import { mappingExample } from '../examples.ts';
import { mappedLists } from './mapped-lists.ts';

const items = { from: 'units', where: 'rarity > 1', entry: "{'id': id, 'strong': $exists(attack)}" };

export const mappingAttributesCheck: ContentCheck = {
  name: 'mapping-attributes',
  description:
    'An attribute that no row has is not nearly named like one that rows have; if all rows have the same attributes, it is one of them.',
  scope: 'build',
  severity: 'warning',
  thresholds: {},
  lasting: true,
  passes: mappingExample(items, { units: [{ id: 'a', rarity: 2, damage: 3 }] }),
  fails: mappingExample(items, { units: [{ id: 'a', rarity: 2, atack: 3 }] }),
  check(content) {
    const unserved = mappedLists(content).flatMap((mapped) =>
      findUnserved(content, mapped).map((attribute) => ({ attribute, mapped })),
    );
    return content.misspelt.flatMap(({ list, expression, line, name, near, table }): StepFinding[] => {
      // A mapping may read what only earlier builds have.
      if (near === undefined && content.before) return [];
      // The attribute that lacks its value because of the name has its own finding.
      if (
        unserved.some(
          ({ attribute, mapped }) => mapped.expression === expression && attribute.reads.has(name),
        )
      )
        return [];
      return [
        {
          of: `${list}.$.${name}`,
          place: atLine(expression.place, line),
          found: `"${name}", which no row of table "${table}" has`,
          expected:
            near === undefined
              ? 'an attribute that rows have'
              : `an attribute that rows have, perhaps "${near}"`,
        },
      ];
    });
  },
};
