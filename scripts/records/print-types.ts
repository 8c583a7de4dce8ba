import type { GameTypes, ListTypes } from './game-types.ts';
import type { JsonSchema } from './record-schema.ts';
import { typeName } from './type-name.ts';

const PLAIN_NAME = /^[A-Za-z_$][\w$]*$/;

/** Prints the types of a game as a TypeScript module. `createClient` of `game-data-read-api-client` takes its main type. */
export function printTypes({ slug, title, build, characters, lists, objects }: GameTypes): string {
  const name = plainName(slug).replace(/^\d/, 'Game$&');
  const printList = (record: string, own = '') => `{ ${own}record: ${record}; facets: ${record}Facets }`;
  const declared = [
    printInterface('RosterCharacter', characters.entry, 'A character in a list.'),
    printInterface('FullCharacter', characters.record, 'The full record of a character.'),
    printFacets('FullCharacter', characters),
    ...[...lists].flatMap(([key, list]) => [
      printInterface(recordName(key), list.record, `A record of \`${key}\`.`),
      printFacets(recordName(key), list),
    ]),
    ...[...objects].map(([key, schema]) =>
      printInterface(recordName(key), schema, `The dataset \`${key}\`.`),
    ),
  ];
  return `// ${oneLine(title)}, build ${oneLine(build)}: the types of its records, for the package game-data-read-api-client. Do not edit.

${comment(`The types of ${title}.`, '')}export interface ${name} {
  characters: ${printList('FullCharacter', 'entry: RosterCharacter; ')};
  lists: {${[...lists.keys()].map((key) => `\n    ${property(key)}: ${printList(recordName(key))};`).join('')}
  };
  objects: {${[...objects.keys()].map((key) => `\n    ${property(key)}: ${recordName(key)};`).join('')}
  };
}

${declared.join('\n')}`;
}

function recordName(key: string): string {
  return `${plainName(key)}Record`;
}

/** The name of a type, also for what a gateway that is not one calls its datasets. */
function plainName(key: string): string {
  return typeName(key).replace(/\W/g, '_');
}

function printInterface(name: string, schema: JsonSchema, description: string): string {
  return `${comment(description, '')}export interface ${name} ${printObject(schema, '')}\n`;
}

function printFacets(name: string, { facets }: ListTypes): string {
  const lines = [...facets].map(([key, schema]) => `  ${property(key)}: ${printType(schema, '  ')};\n`);
  return `/** The values that \`${name}\` can be filtered by. */\nexport interface ${name}Facets {\n${lines.join('')}}\n`;
}

function printObject({ properties, required }: JsonSchema, indent: string): string {
  const names = new Set((required ?? []) as string[]);
  const inner = `${indent}  `;
  const lines = Object.entries((properties ?? {}) as Record<string, JsonSchema>).map(([name, schema]) => {
    const about = typeof schema.description === 'string' ? comment(schema.description, inner) : '';
    return `${about}${inner}${property(name)}${names.has(name) ? '' : '?'}: ${printType(schema, inner)};\n`;
  });
  return `{\n${lines.join('')}${indent}}`;
}

function printType(schema: JsonSchema, indent: string): string {
  const { type, enum: values } = schema;
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(' | ');
  if (Array.isArray(type))
    return type.map((each) => printType({ ...schema, type: each }, indent)).join(' | ');
  switch (type) {
    case 'integer':
      return 'number';
    case 'string':
    case 'number':
    case 'boolean':
    case 'null':
      return type;
    case 'array':
      return `Array<${printType((schema.items ?? {}) as JsonSchema, indent)}>`;
    case 'object':
      return printObject(schema, indent);
    default:
      return 'unknown';
  }
}

function property(name: string): string {
  return PLAIN_NAME.test(name) ? name : JSON.stringify(name);
}

function comment(text: string, indent: string): string {
  return `${indent}/** ${oneLine(text).replaceAll('*/', '* /')} */\n`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ');
}
