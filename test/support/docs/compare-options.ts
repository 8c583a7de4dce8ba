import type { Facts, OptionFact } from './code-facts.ts';
import { compareNames, type Documented } from './compare-names.ts';
import { codeIn, type Table } from './markdown.ts';

/** A table, and the page that it is on. */
export interface PlacedTable {
  page: string;
  table: Table;
}

/** An option in a table, with its command. */
export interface DocumentedOption extends OptionFact {
  page: string;
  command: string;
}

/** The options in all tables. Their command is in the first column, or in the heading above the table. */
export function readOptions(tables: readonly PlacedTable[]): DocumentedOption[] {
  return tables.flatMap(({ page, table }) => {
    const [at, ofCommand, ofVariable] = ['option', 'command', 'environment variable'].map((header) =>
      table.header.indexOf(header),
    ) as [number, number, number];
    if (at < 0) return [];
    let command = table.headings.at(-1) ?? '';
    return table.rows.flatMap((cells) => {
      const named = codeIn(cells[ofCommand] ?? '')[0];
      if (named !== undefined) command = commandName(named);
      const codes = codeIn(`${cells[at]} ${cells[ofVariable] ?? ''}`);
      const flags = codes.filter((code) => code.startsWith('--'));
      const variable = codes.find((code) => /^[A-Z]/.test(code));
      return flags.map((flag) => ({ page, command, flag, ...(variable !== undefined && { variable }) }));
    });
  });
}

/** Options that all commands of `gateway` except `serve` have. They are documented once. */
const COMMON: readonly string[] = ['--store', '--json'];
/** A command with two stores, which names each by an option of its own. */
const OF_TWO_STORES = 'gateway store migrate';

export function compareOptions(
  documented: readonly DocumentedOption[],
  commands: Facts['commands'],
): string[] {
  const isCommon = (command: string, flag: string) =>
    COMMON.includes(flag) && command.startsWith('gateway ') && command !== 'gateway serve';
  const describe = ({ flag, variable }: OptionFact) =>
    variable === undefined ? flag : `${flag} (${variable})`;
  const existing = [...commands].flatMap(([command, options]) =>
    options.filter(({ flag }) => !isCommon(command, flag)).map((option) => `${command} ${describe(option)}`),
  );
  const lacking = [...commands].flatMap(([command, options]) =>
    COMMON.filter(
      (flag) =>
        isCommon(command, flag) &&
        !(flag === '--json' && command.startsWith('gateway store ')) &&
        !options.some((option) => option.flag === flag) &&
        !(command === OF_TWO_STORES && flag === '--store'),
    ).map((flag) => `${command} has no option ${flag}, although the pages say that all commands have it`),
  );
  const named = documented.map((option) => ({
    page: option.page,
    name: `${option.command} ${describe(option)}`,
  }));
  return [...lacking, ...compareNames('option', new Set(existing), named)];
}

/** The commands that a table of options names, or its heading. */
export function readCommands(tables: readonly PlacedTable[]): Documented[] {
  return tables.flatMap(({ page, table }) => {
    if (!table.header.includes('option')) return [];
    const at = table.header.indexOf('command');
    if (at >= 0) {
      const cells = table.rows.flatMap((row) => codeIn(row[at] ?? ''));
      return cells.map((cell) => ({ page, name: commandName(cell) }));
    }
    const name = table.headings.at(-1) ?? '';
    return OWN_PROGRAM.test(name) ? [{ page, name }] : [];
  });
}

const OWN_PROGRAM = /^(gateway|gamedata) /;

/** `gateway keys issue` of `gateway keys issue <email>`. */
function commandName(code: string): string {
  return code.replace(/ [<[].*$/, '');
}
