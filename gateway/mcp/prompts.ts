/** A question that people choose, for a model that has the tools. */
interface Prompt {
  name: string;
  title: string;
  description: string;
  arguments: readonly { name: string; description: string; required: boolean }[];
  /** What a model is asked, for the values of the arguments. */
  text(given: Readonly<Record<string, string>>): string;
}

const GAME = { name: 'game', description: 'The name or the slug of the game.', required: true };

export const PROMPTS: readonly Prompt[] = [
  {
    name: 'plan_pulls',
    title: 'Plan pulls',
    description: 'How many pulls a character takes, and whether the savings are enough.',
    arguments: [
      GAME,
      { name: 'savings', description: 'What you have: currency or pulls.', required: false },
      { name: 'character', description: 'Whom you want.', required: false },
    ],
    text: ({ game, savings = 'unknown', character = 'the newest character' }) =>
      `I play ${game} and want ${character}. I have: ${savings}. Find the slug with list_games, read its dataset pull_planner (what a pull costs, pity and guarantees) and, if it has them, ` +
      'pull_rates and banners with query_dataset. Tell me how many pulls the worst case and the average take, what they cost, and whether my savings are enough. Name what the data does not have.',
  },
  {
    name: 'what_changed',
    title: 'What changed',
    description: 'What the newest patch of a game changed for players.',
    arguments: [GAME],
    text: ({ game }) =>
      `What did the newest patch of ${game} change for players? Use patch_history with limit 1 and, for values, diff_builds with only "stats". Begin with new characters, then buffs and nerfs with the values before ` +
      'and after, then datasets. Leave out corrections of the data. If patch_history is not among the tools, say that it needs a Pro key, and list the newest characters with query_dataset instead.',
  },
  {
    name: 'build_team',
    title: 'Build a team',
    description: 'Teammates for a character.',
    arguments: [GAME, { name: 'character', description: 'Whom the team is for.', required: true }],
    text: ({ game, character }) =>
      `Suggest a team around ${character} in ${game}. Find the id with search, read the character with get_character (element, role, stats, skills), call describe_game for the elements and roles, find candidates that ` +
      'complement it with query_dataset, and compare the best ones with compare. Give reasons from the data, and say where you use knowledge of your own.',
  },
];
