/** Comments about the dataset that every game must have. */
export const ON_PULL_PLANNER = [
  'Every game has the dataset "pull_planner": the cost of a pull, pity and guarantees, such as {"currency": "Gem", "cost_per_pull": 160, "pity": 90}.',
  'Write pull_planner.json in the folder of your first build (later builds inherit it), or map it in "datasets".',
];

/** Renders the definition of a game without a dump: a title, and comments with examples of the other parts. */
export function renderTemplate(title: string): string {
  return `// Files directly in a build's folder are served unchanged: characters.json (a list, or an object keyed by id) or characters.csv is the
// roster, and each other <dataset_key>.json, .csv … is a dataset. To use a dump in the game's own shape, map it below.
{
  "$schema": "../game.schema.json",
  "title": ${JSON.stringify(title)},
  // The tables of the dump. A wildcard makes an object keyed by file stem, "at" is a JSON Pointer into the file, and "key" turns a list
  // into an object keyed by that field.
  "tables": {
    // "characters": "raw/characters/*.json",
    // "items": { "files": "raw/items.json", "at": "/items" },
    // "ranks": { "files": "raw/ranks.csv", "key": ["unit_id", "rarity"] }
  },
  // How rows become records, in JSONata (https://docs.jsonata.org): $ is a row, $key its key, $tables all tables; "where" selects rows,
  // "record" adds what only the full record has.
  // "roster": {
  //   "from": "characters",
  //   "where": "playable",
  //   "entry": "{ 'id': $key, 'name': name, 'rarity': rarity, 'stats': { 'hp': hp, 'atk': atk } }",
  //   "record": "{ 'skills': skills }"
  // },
  "datasets": {
    // One record per row, or one expression over all tables.
    // "items": { "from": "items", "entry": "{ 'id': $key, 'name': name }" }
  }
${ON_PULL_PLANNER.map((text) => `  // ${text}`).join('\n')}
}
`;
}
