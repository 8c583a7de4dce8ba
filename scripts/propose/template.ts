/** What is said of the dataset that every game must have. */
export const ON_PULL_PLANNER = [
  'Every game has the dataset "pull_planner": what a pull costs, pity and guarantees, as {"currency": "Gem", "cost_per_pull": 160, "pity": 90}.',
  'Write it as pull_planner.json into the folder of your first build; later builds inherit it. Or map it in "datasets".',
];

/** The definition of a game of which there is no dump yet: a title, and in comments what else there can be. */
export function renderTemplate(title: string): string {
  return `// A game as it stands in the files of its builds: characters.json (a list, or an object keyed by id) or characters.csv in the top of a
// build's folder is the roster, any other <dataset_key>.json, .csv … there a dataset. A dump in its game's own shape is mapped instead.
{
  "title": ${JSON.stringify(title)},
  // The tables of the dump. A wildcard makes an object keyed by file stem, "at" is a JSON Pointer into the file, "key" makes an object of
  // the rows of a list.
  "tables": {
    // "characters": "raw/characters/*.json",
    // "items": { "files": "raw/items.json", "at": "/items" },
    // "ranks": { "files": "raw/ranks.csv", "key": ["unit_id", "rarity"] }
  },
  // How rows become records, in JSONata (https://docs.jsonata.org): $ is a row, $key its key, $tables all tables; "where" keeps rows,
  // "record" adds what only the full record has.
  // "roster": {
  //   "from": "characters",
  //   "where": "playable",
  //   "entry": "{ 'id': $key, 'name': name, 'rarity': rarity, 'stats': { 'hp': hp, 'atk': atk } }",
  //   "record": "{ 'skills': skills }"
  // },
  "datasets": {
    // A record a row, or one expression over all tables.
    // "items": { "from": "items", "entry": "{ 'id': $key, 'name': name }" }
  }
${ON_PULL_PLANNER.map((text) => `  // ${text}`).join('\n')}
}
`;
}
