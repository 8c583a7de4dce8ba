import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Command } from 'commander';
import fastGlob from 'fast-glob';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { SETTINGS, settingOption, VARIABLES } from '../../gateway/commands/settings.ts';
import type { Endpoint } from '../../gateway/http/incoming.ts';
import { PROBLEMS, statusesOf } from '../../gateway/http/problem.ts';
import { METRICS_PATH } from '../../gateway/metrics/metrics.ts';
import { CHATS } from '../../gateway/people/alerts/channels.ts';
import { createOutbox } from '../../gateway/people/mailer.ts';
import { readPlatforms } from '../../gateway/people/membership/webhooks.ts';
import { peopleEndpoints } from '../../gateway/people/people.ts';
import { createProgram as createGateway } from '../../gateway/program.ts';
import { securityTxtEndpoint } from '../../gateway/site/files.ts';
import { createProgram as createGamedata } from '../../scripts/commands/program.ts';
import { FUNCTIONS, LIBRARY } from '../../scripts/compile/library.ts';
import { CHECK_NAMES } from '../../scripts/findings.ts';
import { keysOf } from '../../scripts/format/dist-format.ts';
import { KNOWN_EXTENSIONS } from '../../scripts/read/formats.ts';
import { tableOptions } from '../../scripts/read/game-schema.ts';
import { gameFiles, inFolder } from '../support/fixtures.ts';
import { startGateway } from '../support/harness.ts';
import { ROOT } from '../support/paths.ts';
import { ROUTES } from '../support/routes.ts';
import { readTables, type Table } from './pages.ts';

// What exists in the code is listed in a table of the pages, and nothing else; and what pages name in their text exists.

interface Context {
  /** Each page by its path. */
  texts: ReadonlyMap<string, string>;
  tables: readonly Table[];
  /** The options of every command, by its full name: `--port`, or `--port (GATEWAY_PORT)`. */
  commands: ReadonlyMap<string, readonly string[]>;
}

/** Options that all commands of `gateway` except `serve` have. They are documented once. */
const COMMON = ['--store', '--json'];

const coverage = suite<Context>('the documents');
coverage.before(async (context) => {
  const files = await fastGlob(['{README,CONTRIBUTING,SECURITY}.md', 'docs/**/*.md'], { cwd: ROOT });
  context.texts = await readFiles(files.sort());
  context.tables = [...context.texts].flatMap(([page, text]) => readTables(page, text));
  const commands = new Map<string, string[]>();
  const names = (await createGateway([])).commands.map((command) => command.name());
  for (const program of [await createGateway(names), await createGamedata()])
    addCommands(program, '', commands);
  context.commands = commands;
});

async function readFiles(files: readonly string[]): Promise<Map<string, string>> {
  const read = async (file: string) => [file, await readFile(path.join(ROOT, file), 'utf8')] as const;
  return new Map(await Promise.all(files.map(read)));
}

/** The commands of chat services are the same, and documented once. */
const ALIKE = keysOf(CHATS)
  .slice(1)
  .map((chat) => `gateway alerts ${chat}`);

/** Adds every command that has no subcommands. */
function addCommands(command: Command, above: string, found: Map<string, string[]>): void {
  const name = `${above} ${command.name()}`.trim();
  for (const child of command.commands) addCommands(child, name, found);
  if (command.commands.length > 0 || ALIKE.includes(name)) return;
  const flags = command.options.map(({ long, envVar }) => (envVar ? `${long} (${envVar})` : `${long}`));
  found.set(name, flags);
}

const codeIn = (text: string) => [...text.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);

/** The code in the first column of all tables in which that column has this header. */
const firstCells = (tables: readonly Table[], header: string) =>
  tables
    .filter((table) => table.header[0] === header)
    .flatMap(({ rows }) => rows.flatMap(([cell = '']) => codeIn(cell)));

/** What the tables of options list: `gateway serve --port (GATEWAY_PORT)`. The command is in a column, or in the heading. */
function optionsIn(
  tables: readonly Table[],
): { command: string; flag: string; variable: string | undefined }[] {
  return tables.flatMap(({ heading, header, rows }) => {
    const at = (name: string) => header.indexOf(name);
    let command = heading;
    if (at('option') < 0) return [];
    return rows.flatMap((cells) => {
      command = commandIn(cells[at('command')] ?? '') ?? command;
      const codes = codeIn(`${cells[at('option')]} ${cells[at('environment variable')] ?? ''}`);
      const variable = codes.find((code) => /^[A-Z]/.test(code));
      return codes.filter((code) => code.startsWith('--')).map((flag) => ({ command, flag, variable }));
    });
  });
}

/** `gateway keys issue` of `gateway keys issue <email>`. */
const commandIn = (cell: string) => codeIn(cell)[0]?.replace(/ [<[].*$/, '');

function compare(kind: string, existing: Iterable<string>, documented: readonly string[]): void {
  const [exist, listed] = [new Set(existing), new Set(documented)];
  const missing = [...exist].filter((name) => !listed.has(name));
  const invented = [...listed].filter((name) => !exist.has(name));
  assert.equal({ missing, invented }, { missing: [], invented: [] }, `the ${kind} in tables of the pages`);
}

coverage('list every command with its options', ({ tables, commands }) => {
  const isCommon = (command: string, flag: string) =>
    COMMON.includes(flag.replace(/ .*/, '')) && command.startsWith('gateway ') && command !== 'gateway serve';
  const listed = optionsIn(tables);
  compare(
    'options',
    [...commands].flatMap(([name, flags]) =>
      flags.filter((flag) => !isCommon(name, flag)).map((flag) => `${name} ${flag}`),
    ),
    listed.map(({ command, flag, variable }) => `${command} ${flag}${variable ? ` (${variable})` : ''}`),
  );
  const named = tables.flatMap(({ header, heading, rows }) => {
    if (!header.includes('option')) return [];
    const cells = rows.flatMap((row) => commandIn(row[header.indexOf('command')] ?? '') ?? []);
    return header.includes('command') ? cells : [heading].filter((name) => /^(gateway|gamedata) /.test(name));
  });
  compare('commands', commands.keys(), named);
});

coverage('say of each setting of the gateway what --help says', ({ tables }) => {
  const plain = (cell: string) => cell.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', '');
  const rowsOf = (header: string) =>
    tables
      .filter((table) => table.heading === 'gateway serve' || table.header[1] === 'used by')
      .filter((table) => table.header[0] === header)
      .flatMap(({ rows }) => rows.map((row) => row.map(plain)));
  assert.equal(
    rowsOf('option').filter(([flag]) => flag !== '--check'),
    keysOf(SETTINGS).map((name) => {
      const [, help, initial]: readonly unknown[] = SETTINGS[name];
      const { long, envVar } = settingOption(name);
      return [long, envVar, initial || 'none', help];
    }),
  );
  assert.equal(
    rowsOf('environment variable').filter(([name = '']) => !name.startsWith('GAMEDATA_')),
    Object.entries(VARIABLES).map(([name, [usedBy, help]]) => [name, usedBy, help]),
  );
});

coverage('list every environment variable', async ({ tables, commands }) => {
  const sources = await readFiles(await fastGlob('{scripts,gateway}/**/*.{ts,tsx}', { cwd: ROOT }));
  const read = [...sources.values()].flatMap((text) => [
    ...[...text.matchAll(/\benv(?:ironment)?\.([A-Z][A-Z0-9]*_\w+)\b(?! = )/g)].map(([, name = '']) => name),
    ...[
      ...text.matchAll(/\{([^{}]*)\}(?: = (?:process\.)?env(?:ironment)?\b|: NodeJS\.ProcessEnv)/g),
    ].flatMap(([, names = '']) => names.match(/\b[A-Z][A-Z0-9]*_\w+\b/g) ?? []),
  ]);
  const ofOptions = [...commands.values()].flat().flatMap((flag) => /\((\w+)\)/.exec(flag)?.[1] ?? []);
  const listed = optionsIn(tables).flatMap(({ variable }) => variable ?? []);
  compare('variables', [...read, ...ofOptions], [...listed, ...firstCells(tables, 'environment variable')]);
});

coverage('list every error code with its status', ({ tables }) => {
  const rows = tables.filter(({ header }) => header[0] === 'code').flatMap((table) => table.rows);
  const listed = rows.map(([code = '', status]) => `${codeIn(code)[0]} ${status}`);
  compare(
    'errors',
    (Object.keys(PROBLEMS) as (keyof typeof PROBLEMS)[]).map(
      (code) => `${code} ${statusesOf(code).join(', ')}`,
    ),
    listed,
  );
});

coverage('list what mappings and checks may name', ({ tables }) => {
  const options = firstCells(tables, 'option').filter((name) => !name.startsWith('--'));
  compare('options of a table', Object.keys(tableOptions), options);
  const extensions = (KNOWN_EXTENSIONS.match(/\.\w+/g) ?? []).filter((name) => name !== '.gz');
  compare('extensions', extensions, firstCells(tables, 'extension'));
  compare('checks', CHECK_NAMES, [...firstCells(tables, 'check'), ...firstCells(tables, 'gate')]);
  const functions = firstCells(tables, 'function').map((name) => name.replace(/^\$(\w+)\(.*$/, '$1'));
  compare('functions', Object.keys(LIBRARY), functions);
});

coverage('list every address, and name no other', async ({ tables, texts }) => {
  const endpoints = await readEndpoints();
  const addresses = [...ROUTES, ...endpoints].map(({ path: at }) => at.replace(/:(\w+)/g, '{$1}'));
  addresses.push(METRICS_PATH);
  const listed = firstCells(tables, 'address').map((name) => name.replace(/\?.*$/, ''));
  // `/account/…` stands for all addresses below it.
  const below = listed.filter((name) => name.endsWith('/…')).map((name) => name.slice(0, -1));
  const isBelow = (address: string) => below.some((start) => address.startsWith(start));
  compare(
    'addresses',
    addresses.filter((address) => !isBelow(address)),
    listed.filter((name) => !name.endsWith('/…')),
  );
  const isAddress = (named: string) => {
    const parts = named.replace(/\/…?$/, '').split('/');
    return addresses.some((one) => {
      const pattern = one.split('/');
      const isStart = /\/…?$|^\/api$/.test(named) && parts.length <= pattern.length;
      const fits = (part: string, at: number) =>
        part === pattern[at] || pattern[at]?.startsWith('{') === true;
      return (isStart || parts.length === pattern.length) && parts.every(fits);
    });
  };
  const named = /^(\/(?:api|files|feeds|webhooks|account|signup)(?:\/[^?#\s]*)?)(?:[?#].*)?$/;
  const wrong = inText(texts, (code) => {
    const address = named.exec(code)?.[1];
    return address !== undefined && !isAddress(address);
  });
  assert.equal(wrong, []);
});

/** Every address of a gateway on which everything is set up. */
async function readEndpoints(): Promise<Endpoint[]> {
  const platforms = readPlatforms({
    PATREON_WEBHOOK_SECRET: 'any',
    PATREON_MIN_CENTS: '1',
    KOFI_VERIFICATION_TOKEN: 'any',
    KOFI_MIN_AMOUNT: '1 EUR',
  });
  let endpoints: Endpoint[] = [];
  const gateway = await startGateway(inFolder('game', gameFiles()), {
    endpoints: (parts) => {
      const mailer = createOutbox('unused', parts);
      const mailers = { mailer, signupMailer: mailer, accountMailer: mailer };
      const settings = { publicUrl: () => '', policy: { isStrict: true } };
      const contact = { contact: 'mailto:security@example.org', expires: undefined, publicUrl: undefined };
      endpoints = [
        ...peopleEndpoints({ ...parts, ...mailers, ...settings, platforms }),
        securityTxtEndpoint({ ...contact, now: parts.now }),
      ];
      return endpoints;
    },
  });
  await gateway.stop();
  return [...endpoints, ...gateway.pages];
}

/** The pieces of inline code that are wrong, each with its page. */
function inText(texts: ReadonlyMap<string, string>, isWrong: (code: string) => boolean): string[] {
  return [...texts].flatMap(([page, text]) => {
    const prose = text.replace(/^```[^\n]*\n.*?^```$/gms, '').replace(/(?<=\n\n)(?: {4}.*\n?)+/g, '');
    return codeIn(prose).flatMap((code) => (isWrong(code) ? `${page}: ${code}` : []));
  });
}

coverage('name no script, command, option or function that does not exist', async ({ texts, commands }) => {
  const { scripts } = JSON.parse(await readFile(path.join(ROOT, 'package.json'), 'utf8'));
  const runners = await readFiles([
    'test/run.ts',
    'test/golden/golden.ts',
    ...(await fastGlob('test/*/run*.ts', { cwd: ROOT })),
  ]);
  const ofScripts = [...runners.values()].flatMap((text) => [
    ...[...text.matchAll(/(\w+): \{ type: '(?:boolean|string)'/g)].map(([, name]) => `--${name}`),
    ...[...text.matchAll(/'(--[a-z]+)'/g)].map(([, flag]) => flag),
  ]);
  const flagsOf = (name: string | undefined) =>
    [...commands].flatMap(([command, flags]) =>
      name === undefined || `${command} `.startsWith(`${name} `) || `${name} `.startsWith(`${command} `)
        ? flags.map((flag) => flag.replace(/ .*/, ''))
        : [],
    );
  const variables = new Set([
    ...FUNCTIONS,
    'key',
    'tables',
    'now',
    'millis',
    'random',
    'schema',
    'ref',
    'defs',
    'id',
  ]);
  const isOther = /^(npx|node|curl|git|apt-get|nginx|redis-server|wrk)\b/;
  const wrong = inText(texts, (code) => {
    if (isOther.test(code)) return false;
    const script = /^npm run (?:--silent )?([\w:-]+)/.exec(code)?.[1];
    if (script !== undefined && !(script in scripts)) return true;
    const [command] = /^(?:gateway|gamedata)(?: [a-z]+)*/.exec(code) ?? [];
    const known = ['--help', '--version', ...flagsOf(command), ...(command === undefined ? ofScripts : [])];
    const used: string[] = code.match(/(?<![\w-])--[a-z][a-z0-9-]*/g) ?? [];
    if (known.length === 2 || used.some((flag) => !known.includes(flag))) return true;
    return [...code.matchAll(/\$([a-z]\w*)/g)].some(([, name = '']) => !variables.has(name));
  });
  assert.equal(wrong, []);
});

coverage.run();
