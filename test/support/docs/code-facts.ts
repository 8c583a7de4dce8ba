import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Command } from 'commander';
import fastGlob from 'fast-glob';
import { type Node, parseSync, visitorKeys } from 'oxc-parser';
import { type Endpoint, readTrustedProxies } from '../../../gateway/http/incoming.ts';
import { PROBLEMS } from '../../../gateway/http/problem.ts';
import { METRICS_PATH } from '../../../gateway/metrics/metrics.ts';
import { createOutbox } from '../../../gateway/people/mail/outbox.ts';
import { readPlatforms } from '../../../gateway/people/membership/platforms.ts';
import { peopleEndpoints } from '../../../gateway/people/people.ts';
import { createProgram as createGateway } from '../../../gateway/program.ts';
import { securityTxtEndpoint } from '../../../gateway/site/files.ts';
import { createProgram as createGamedata } from '../../../scripts/commands/program.ts';
import { FUNCTIONS, LIBRARY } from '../../../scripts/compile/library.ts';
import { CHECK_NAMES } from '../../../scripts/findings.ts';
import { tableSchema } from '../../../scripts/read/definition.ts';
import { KNOWN_EXTENSIONS } from '../../../scripts/read/files.ts';
import { gameFiles, inFolder } from '../fixtures.ts';
import { startGateway } from '../harness.ts';
import { ROOT } from '../paths.ts';
import { ROUTES } from '../routes.ts';

/** An option of a command. */
export interface OptionFact {
  /** `--port`. */
  flag: string;
  /** The environment variable that sets it too. */
  variable?: string;
}

/** What exists in the code, and has to be documented. */
export interface Facts {
  /** The options of every command: `gateway keys issue` → its options. */
  commands: ReadonlyMap<string, readonly OptionFact[]>;
  /** Environment variables that the code reads, including those of options. */
  variables: ReadonlySet<string>;
  /** Error code → status. */
  problems: ReadonlyMap<string, number>;
  checks: ReadonlySet<string>;
  /** Addresses, with `{name}` for parameters. */
  addresses: ReadonlySet<string>;
  /** The options of a table in game.json, without `files`. */
  tableOptions: ReadonlySet<string>;
  /** The extensions of files that tables can be in. */
  extensions: ReadonlySet<string>;
  /** Functions of expressions, without `$`. */
  functions: ReadonlySet<string>;
  /** These functions, JSONata's own, and the variables of mappings. */
  expressionNames: ReadonlySet<string>;
  /** The scripts of package.json. */
  scripts: ReadonlySet<string>;
  /** The options of `npm test`, `npm run bench`, `npm run mutants`, `npm run truth`, `npm run faults` and `npm run attack`. */
  scriptFlags: ReadonlySet<string>;
  /** The files and folders of the code, the tests and the documents. */
  paths: ReadonlySet<string>;
  /** Every upper-case name in the code, such as `MAX_BATCH`. */
  constants: ReadonlySet<string>;
}

const SCRIPTS = [
  'test/run.ts',
  'test/bench/run.ts',
  'test/mutants/run.ts',
  'test/truth/run.ts',
  'test/campaigns/run-campaigns.ts',
];

/** Reads from the code what exists. */
export async function readFacts(): Promise<Facts> {
  const commands = new Map<string, OptionFact[]>();
  const names = (await createGateway([])).commands.map((command) => command.name());
  for (const program of [await createGateway(names), await createGamedata()])
    addCommands(program, '', commands);
  const sources = await readSources();
  const variables = [...sources].flatMap(([file, text]) =>
    file.startsWith('test/') ? [] : variablesIn(file, text),
  );
  const ofOptions = [...commands.values()].flat().flatMap(({ variable }) => variable ?? []);
  const { scripts } = JSON.parse(await readFile(path.join(ROOT, 'package.json'), 'utf8')) as {
    scripts: object;
  };
  return {
    commands,
    variables: new Set([...variables, ...ofOptions]),
    problems: new Map(Object.entries(PROBLEMS).map(([code, { status }]) => [code, status])),
    checks: new Set(CHECK_NAMES),
    addresses: await readAddresses(),
    tableOptions: new Set(Object.keys(tableSchema.then.properties).filter((name) => name !== 'files')),
    extensions: new Set((KNOWN_EXTENSIONS.match(/\.\w+/g) ?? []).filter((name) => name !== '.gz')),
    functions: new Set(Object.keys(LIBRARY)),
    expressionNames: new Set([...FUNCTIONS, ...MAPPING_VARIABLES]),
    scripts: new Set(Object.keys(scripts)),
    scriptFlags: new Set(SCRIPTS.flatMap((file) => flagsOf(sources.get(file) ?? ''))),
    paths: new Set(
      await fastGlob('{scripts,gateway,test,docs,tools}{,/**}', { cwd: ROOT, onlyFiles: false }),
    ),
    constants: new Set(
      [...sources.values()].flatMap((text) => text.match(/\b[A-Z][A-Z0-9]*(_[A-Z0-9]+)+\b/g) ?? []),
    ),
  };
}

/** The options of a script that reads them with `parseArgs`. */
function flagsOf(text: string): string[] {
  return [...text.matchAll(/(\w+): \{ type: '(?:boolean|string)'/g)].map(([, name]) => `--${name}`);
}

/** What expressions of a mapping may name besides functions. `$now`, `$millis` and `$random` are refused, and documented as refused. */
const MAPPING_VARIABLES = ['key', 'tables', 'now', 'millis', 'random'];

/** Adds every command that has no subcommands, by its full name. */
function addCommands(command: Command, above: string, found: Map<string, OptionFact[]>): void {
  const name = `${above} ${command.name()}`.trim();
  for (const child of command.commands) addCommands(child, name, found);
  if (command.commands.length > 0) return;
  const options = command.options.map(({ long, envVar }) => ({
    flag: long as string,
    ...(envVar !== undefined && { variable: envVar }),
  }));
  found.set(name, options);
}

/** The text of every source file, by path. */
async function readSources(): Promise<Map<string, string>> {
  const files = await fastGlob(['{scripts,gateway,test}/**/*.{ts,tsx}', '!test/{,support/}docs/**'], {
    cwd: ROOT,
  });
  return new Map(
    await Promise.all(
      files.map(async (file) => [file, await readFile(path.join(ROOT, file), 'utf8')] as const),
    ),
  );
}

const VARIABLE = /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)+$/;
const ENVIRONMENT = /^(process\.)?(env|environment)$/;

/** The environment variables that a source file reads: `env.NAME`, and `{ NAME } = environment`. */
function variablesIn(file: string, text: string): string[] {
  const found: string[] = [];
  const visit = (node: Node, isWritten: boolean): void => {
    if (node.type === 'MemberExpression' && !isWritten && node.property.type === 'Identifier') {
      const owner = text.slice(node.object.start, node.object.end);
      if (ENVIRONMENT.test(owner)) found.push(node.property.name);
    }
    if (node.type === 'ObjectPattern') found.push(...keysOf(node).filter((key) => VARIABLE.test(key)));
    for (const [child, isTarget] of childrenOf(node)) visit(child, isTarget);
  };
  visit(parseSync(file, text).program, false);
  return found.filter((name) => VARIABLE.test(name));
}

function keysOf({ properties }: Extract<Node, { type: 'ObjectPattern' }>): string[] {
  return properties.flatMap((property) =>
    property.type === 'Property' && property.key.type === 'Identifier' ? property.key.name : [],
  );
}

/** The nodes below a node, and whether each is what an assignment writes to. */
function childrenOf(node: Node): [Node, boolean][] {
  const parts = node as unknown as Record<string, Node | null | (Node | null)[]>;
  return (visitorKeys[node.type] ?? []).flatMap((key) =>
    [parts[key] ?? []]
      .flat()
      .flatMap((child): [Node, boolean][] =>
        child ? [[child, node.type === 'AssignmentExpression' && key === 'left']] : [],
      ),
  );
}

/** Every address of a gateway on which everything is set up. */
async function readAddresses(): Promise<Set<string>> {
  const paths = [...ROUTES, ...(await readEndpoints())].map((route) => route.path.replace(/:(\w+)/g, '{$1}'));
  return new Set([...paths, METRICS_PATH]);
}

async function readEndpoints(): Promise<Endpoint[]> {
  const platforms = readPlatforms({
    ...{ PATREON_WEBHOOK_SECRET: 'any', PATREON_MIN_CENTS: '1' },
    ...{ KOFI_VERIFICATION_TOKEN: 'any', KOFI_MIN_AMOUNT: '1 EUR' },
  });
  let endpoints: Endpoint[] = [];
  const gateway = await startGateway(inFolder('game', gameFiles()), {
    endpoints: (parts) => {
      const mailer = createOutbox('unused', parts);
      const mailers = { mailer, signupMailer: mailer, accountMailer: mailer };
      const settings = {
        publicUrl: () => '',
        ...readTrustedProxies(''),
        policy: { isStrict: true },
      };
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
