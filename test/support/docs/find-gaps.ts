import type { Facts } from './code-facts.ts';
import { compareNames, type Documented } from './compare-names.ts';
import { compareOptions, type PlacedTable, readCommands, readOptions } from './compare-options.ts';
import { nameInvented } from './find-invented.ts';
import { codeIn, type DocPage } from './markdown.ts';

/** Compares the documents with the code: reports what no page documents, and what a page names but does not exist. */
export function findGaps(pages: readonly DocPage[], facts: Facts): string[] {
  return [
    ...findTableGaps(pages, facts),
    ...pages.flatMap((page) => page.code.flatMap((code) => nameInvented(page, code, facts))),
  ];
}

/** Compares the tables of the documents with the code. Together, the tables list everything. */
export function findTableGaps(pages: readonly DocPage[], facts: Facts): string[] {
  const tables = pages.flatMap((page) => page.tables.map((table) => ({ page: page.file, table })));
  return [
    ...compareOptions(readOptions(tables), facts.commands),
    ...compareNames('command', new Set(facts.commands.keys()), readCommands(tables)),
    ...compareNames('option of a table', facts.tableOptions, tableOptions(tables)),
    ...compareNames('extension', facts.extensions, firstCells(tables, 'extension')),
    ...compareVariables(tables, facts.variables),
    ...compareProblems(tables, facts.problems),
    ...compareNames('check', facts.checks, [...firstCells(tables, 'check'), ...firstCells(tables, 'gate')]),
    ...compareNames('function', facts.functions, firstCells(tables, 'function').map(functionName)),
    ...compareAddresses(firstCells(tables, 'address'), facts.addresses),
  ];
}

/** The code in the first column of all tables in which that column has this header. */
function firstCells(tables: readonly PlacedTable[], header: string): Documented[] {
  return tables
    .filter(({ table }) => table.header[0] === header)
    .flatMap(({ page, table }) =>
      table.rows.flatMap(([cell = '']) => codeIn(cell).map((name) => ({ page, name }))),
    );
}

/** Options of tables in game.json, whose names do not begin with dashes. */
function tableOptions(tables: readonly PlacedTable[]): Documented[] {
  return firstCells(tables, 'option').filter(({ name }) => !name.startsWith('--'));
}

function functionName({ page, name }: Documented): Documented {
  return { page, name: name.replace(/^\$(\w+)\(.*$/, '$1') };
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

/** Compares addresses. A documented `/account/…` stands for all addresses below it. */
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

function compareVariables(tables: readonly PlacedTable[], variables: ReadonlySet<string>): string[] {
  const ofOptions = readOptions(tables).flatMap(({ page, variable }) =>
    variable === undefined ? [] : { page, name: variable },
  );
  const documented = [...firstCells(tables, 'environment variable'), ...ofOptions];
  return compareNames('environment variable', variables, documented);
}
