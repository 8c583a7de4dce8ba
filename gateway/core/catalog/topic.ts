import { SLUG } from '../../../scripts/core/format/dist-format.ts';
import type { View } from './view.ts';

/** What an account may follow: a game by its slug, `all_games`, or `new_games`. */
export type Topic = string;

/** All games; no slug has an underscore. */
export const ALL_GAMES: Topic = 'all_games';
/** New games. */
export const NEW_GAMES: Topic = 'new_games';

const SLUG_FORM = new RegExp(SLUG);

/** Returns whether an account can see a topic: always, unless it is a game that is not in its view. */
export function isSeen(topic: Topic, { games, lost }: Pick<View, 'games' | 'lost'>): boolean {
  return topic === ALL_GAMES || topic === NEW_GAMES || games.has(topic) || lost.has(topic);
}

/** Returns whether a text has the form of a topic; the game need not exist. */
export function isTopic(text: string): boolean {
  return text === ALL_GAMES || text === NEW_GAMES || SLUG_FORM.test(text);
}
