import type { Facts, OptionFact } from './code-facts.ts';
import { nameInvented, OF_LIBRARIES } from './find-invented.ts';
import { codeIn, type DocPage, type Table } from './markdown.ts';

/** Compares the documents with the code: what exists and no page documents, and what a page names and does not exist. */
export function findGaps(pages: readonly DocPage[], facts: Facts): string[] {
  const tables = pages.flatMap((page) => page.tables.map((table) => ({ page: page.file, table })));
  return [
    ...compareOptions(readOptions(tables), facts.commands),
    ...compareVariables(tables, facts.variables),
    ...compareProblems(tables, facts.problems),
    ...compareNames('check', facts.checks, [...firstCells(tables, 'check'), ...firstCells(tables, 'gate')]),
    ...compareNames('function', facts.functions, firstCells(tables, 'function').map(functionName)),
    ...compareAddresses(firstCells(tables, 'address'), facts.addresses),
    ...pages.flatMap((page) => page.code.flatMap((code) => nameInvented(page, code, facts))),
  ];
}

interface PlacedTable {
  page: string;
  table: Table;
}

/** A name that a table documents, and the page with the table. */
interface Documented {
  page: string;
  name: string;
}

/** The code in the first column of all tables whose first column has this header. */
function firstCells(tables: readonly PlacedTable[], header: string): Documented[] {
  return tables
    .filter(({ table }) => table.header[0] === header)
    .flatMap(({ page, table }) =>
      table.rows.flatMap(([cell = '']) => codeIn(cell).map((name) => ({ page, name }))),
    );
}

function functionName({ page, name }: Documented): Documented {
  return { page, name: name.replace(/^\$(\w+)\(.*$/, '$1') };
}

/** Compares names that have to be equal on both sides. */
function compareNames(
  kind: string,
  existing: ReadonlySet<string>,
  documented: readonly Documented[],
): string[] {
  const names = new Set(documented.map(({ name }) => name));
  return [
    ...[...existing]
      .filter((name) => !names.has(name))
      .map((name) => `no page documents the ${kind} ${name}`),
    ...documented
      .filter(({ name }) => !existing.has(name))
      .map(({ page, name }) => `${page}: there is no ${kind} ${name}`),
  ];
}

/** Error codes, and the status beside each. */
function compareProblems(tables: readonly PlacedTable[], problems: ReadonlyMap<string, number>): string[] {
  const wrong = tables
    .filter(({ table }) => table.header[0] === 'code' && table.header[1] === 'status')
    .flatMap(({ page, table }) =>
      table.rows.map(([code = '', status = '']) => ({ page, code: codeIn(code)[0] ?? '', status })),
    )
    .filter(({ code, status }) => problems.has(code) && String(problems.get(code)) !== status)
    .map(({ page, code, status }) => `${page}: the status of ${code} is not ${status}`);
  return [...compareNames('error code', new Set(problems.keys()), firstCells(tables, 'code')), ...wrong];
}

/** Every address; a documented `/account/…` stands for the forms below it. */
function compareAddresses(documented: readonly Documented[], addresses: ReadonlySet<string>): string[] {
  const known = documented.map(({ page, name }) => ({ page, name: name.replace(/\?.*$/, '') }));
  const below = known.filter(({ name }) => name.endsWith('/…')).map(({ name }) => name.slice(0, -1));
  const rest = [...addresses].filter((address) => !below.some((start) => address.startsWith(start)));
  const needless = below.filter((start) => ![...addresses].some((address) => address.startsWith(start)));
  return [
    ...compareNames(
      'address',
      new Set(rest),
      known.filter(({ name }) => !name.endsWith('/…')),
    ),
    ...needless.map((start) => `there is no address below ${start}`),
  ];
}

/** An option in a table, with the command that takes it. */
interface DocumentedOption extends OptionFact {
  page: string;
  command: string;
}

/** The options of all tables: of the command in their first column, or of the heading above them. */
function readOptions(tables: readonly PlacedTable[]): DocumentedOption[] {
  return tables.flatMap(({ page, table }) => {
    const isOf = (header: string) => (name: string) => name === header;
    const [at, ofCommand, ofVariable] = ['option', 'command', 'environment variable'].map((header) =>
      table.header.findIndex(isOf(header)),
    ) as [number, number, number];
    if (at < 0) return [];
    let command = table.headings.at(-1) ?? '';
    return table.rows.flatMap((cells) => {
      const named = codeIn(cells[ofCommand] ?? '')[0];
      if (named !== undefined) command = named.replace(/ [<[].*$/, '');
      const codes = codeIn(`${cells[at]} ${cells[ofVariable] ?? ''}`);
      const flags = codes.filter((code) => code.startsWith('--'));
      const variable = codes.find((code) => /^[A-Z]/.test(code));
      return flags.map((flag) => ({ page, command, flag, ...(variable !== undefined && { variable }) }));
    });
  });
}

function compareVariables(tables: readonly PlacedTable[], variables: ReadonlySet<string>): string[] {
  const documented = [...firstCells(tables, 'environment variable'), ...optionVariables(tables)];
  return compareNames(
    'environment variable',
    variables,
    documented.filter(({ name }) => !OF_LIBRARIES.has(name)),
  );
}

function optionVariables(tables: readonly PlacedTable[]): Documented[] {
  return readOptions(tables).flatMap(({ page, variable }) =>
    variable === undefined ? [] : { page, name: variable },
  );
}

/** Options that all commands of `gateway` but `serve` have, and that are documented once. */
const COMMON: readonly string[] = ['--store', '--json'];

function compareOptions(documented: readonly DocumentedOption[], commands: Facts['commands']): string[] {
  const isCommon = (command: string, flag: string) =>
    COMMON.includes(flag) && command.startsWith('gateway ') && command !== 'gateway serve';
  const describe = ({ flag, variable }: OptionFact) =>
    variable === undefined ? flag : `${flag} (${variable})`;
  const existing = [...commands].flatMap(([command, options]) =>
    options.filter(({ flag }) => !isCommon(command, flag)).map((option) => `${command} ${describe(option)}`),
  );
  const lacking = [...commands].flatMap(([command, options]) =>
    COMMON.filter((flag) => isCommon(command, flag) && !options.some((option) => option.flag === flag)).map(
      (flag) => `${command} has no option ${flag}, which the pages say all have`,
    ),
  );
  const named = documented.map((option) => ({
    page: option.page,
    name: `${option.command} ${describe(option)}`,
  }));
  return [...lacking, ...compareNames('option', new Set(existing), named)];
}
