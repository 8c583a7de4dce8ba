import { type Code, isFolder } from './code.ts';

/** The sentence that says what a room is for; undefined if its README does not begin as expected. */
export function headerOf({ texts }: Code, room: string): string | undefined {
  const [title, empty, header, next] = texts.get(`${room}/README.md`)?.split('\n') ?? [];
  const isOneSentence = header !== undefined && /^[A-Z][^.]*(\.\S[^.]*)*\.$/.test(header);
  return title === `# ${room}` && empty === '' && isOneSentence && !next ? header : undefined;
}

const MAP = 'docs/ARCHITECTURE.md';

/** Finds rooms that the page lacks, that it describes in other words than their README.md, or that do not exist. */
export function findMapFaults(code: Code): string[] {
  const listed = readMap(code.texts.get(MAP) ?? '');
  const missing = code.rooms.flatMap((room) => {
    const said = listed.get(room);
    if (said === undefined) return [`${MAP} does not list ${room}`];
    const header = isFolder(room) ? headerOf(code, room) : said;
    return header === undefined || said === header
      ? []
      : [`${MAP} says of ${room} "${said}"; its README.md says "${header}"`];
  });
  const unknown = [...listed.keys()].filter((room) => !code.rooms.includes(room));
  return [...missing, ...unknown.map((room) => `${MAP} lists ${room}, which does not exist`)];
}

/** Reads the page's trees, which are in fenced blocks: a line "name/  sentence" for each room, indented by two more spaces than its folder. */
function readMap(page: string): Map<string, string> {
  const listed = new Map<string, string>();
  const folders: string[] = [];
  const trees = [...page.matchAll(/^```\n((?:scripts|gateway)\/\n.*?)^```/gms)].map(([, tree = '']) => tree);
  for (const line of trees.flatMap((tree) => tree.split('\n'))) {
    const [, indent = '', name = '', sentence] = /^( *)([^ /]+)\/?(?: +(.*))?$/.exec(line) ?? [];
    folders.splice(indent.length / 2, Number.POSITIVE_INFINITY, name);
    if (sentence !== undefined) listed.set(folders.join('/'), sentence);
  }
  return listed;
}
