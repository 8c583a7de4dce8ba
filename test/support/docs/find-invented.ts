import type { Facts } from './code-facts.ts';
import type { DocPage } from './markdown.ts';

/** Programs that are not part of the project; their options are not checked. */
const OTHER_PROGRAM = /^(npx|node|curl|git|apt-get|nginx|redis-server|wrk)\b/;
const OWN_COMMAND = /^(?:gateway|gamedata)(?: [a-z]+)*/;
const ADDRESS =
  /^(?:https?:\/\/[^/]+)?(\/(?:api|files|feeds|webhooks|account|signup|claim)(?:\/[^?#\s]*)?)(?:[?#].*)?$/;
/** Words of JSON Schema. They begin with `$`, as functions do. */
const SCHEMA_WORDS = new Set(['$schema', '$ref', '$defs', '$id']);

/** Reports the names in a piece of inline code that do not exist. */
export function nameInvented(page: DocPage, code: string, facts: Facts): string[] {
  if (OTHER_PROGRAM.test(code)) return [];
  const found = [
    ...inventedScripts(code, facts),
    ...inventedCommands(code, facts),
    ...inventedFunctions(code, facts),
    ...inventedAddresses(code, facts),
  ];
  return found.map((what) => `${page.file}: there is no ${what}`);
}

function inventedScripts(code: string, { scripts }: Facts): string[] {
  return [...code.matchAll(/^npm run (?:--silent )?([\w:-]+)/g)].flatMap(([, name = '']) =>
    scripts.has(name) ? [] : `script ${name}`,
  );
}

/** Checks a command and its options. An option without a command may belong to any command. */
function inventedCommands(code: string, { commands, scriptFlags }: Facts): string[] {
  const [command] = OWN_COMMAND.exec(code) ?? [];
  const known = command === undefined ? commands : commandsBelow(command, commands);
  if (known.size === 0) return [`command ${command}`];
  const flags = new Set([...known.values()].flat().map(({ flag }) => flag));
  return [...code.matchAll(/(?<![\w-])--[a-z][a-z0-9-]*/g)].flatMap(([flag]) => {
    const exists = flags.has(flag) || GENERAL.has(flag) || (command === undefined && scriptFlags.has(flag));
    return exists ? [] : `option ${command === undefined ? flag : `${command} ${flag}`}`;
  });
}

/** Options that every command has. */
const GENERAL = new Set(['--help', '--version']);

/** The command that a text begins with; for the name of a group, the commands in it. */
function commandsBelow(name: string, commands: Facts['commands']): Facts['commands'] {
  for (const words = name.split(' '); words.length > 0; words.pop()) {
    const start = words.join(' ');
    const found = [...commands].filter(([command]) => command === start || command.startsWith(`${start} `));
    // Words after a command are its arguments. A word after a group has to be one of its commands.
    if (found.length > 0) return new Map(start === name || commands.has(start) ? found : []);
  }
  return new Map();
}

function inventedFunctions(code: string, { expressionNames }: Facts): string[] {
  return [...code.matchAll(/\$[a-z]\w*/g)].flatMap(([name]) =>
    expressionNames.has(name.slice(1)) || SCHEMA_WORDS.has(name) ? [] : `function ${name}`,
  );
}

function inventedAddresses(code: string, { addresses }: Facts): string[] {
  const [, address] = ADDRESS.exec(code) ?? [];
  return address === undefined || isAddress(address, addresses) ? [] : [`address ${address}`];
}

/** Whether an address exists, with names or values for its parameters. `/api/` and `/account/…` exist if an address begins with them. */
function isAddress(address: string, addresses: ReadonlySet<string>): boolean {
  const isStart = /\/…?$|^\/api$/.test(address);
  const parts = address.replace(/\/…?$/, '').split('/');
  return [...addresses].some((one) => {
    const pattern = one.split('/');
    const fitsLength = isStart ? parts.length <= pattern.length : parts.length === pattern.length;
    return fitsLength && parts.every((part, index) => fits(part, pattern[index] ?? ''));
  });
}

/** Whether a part of an address fits a pattern. A dataset's key has to contain `_`: otherwise a misspelt route would count as a dataset. */
function fits(part: string, pattern: string): boolean {
  if (part === pattern) return true;
  if (pattern === '{dataset}') return part.includes('_');
  return pattern.startsWith('{') && !part.startsWith('{');
}
