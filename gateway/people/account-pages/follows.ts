import { ALL_GAMES, NEW_GAMES, type Topic } from '../alerts/subscription.ts';
import type { FollowableGame } from './account-state.ts';

/** Prefix of the names of the fields for topics. */
export const TOPIC_FIELD = 'follow.';

/** Reads which of the offered topics were chosen. A browser sends only checked boxes. */
export function readFollows(
  fields: ReadonlyMap<string, string>,
  games: readonly FollowableGame[],
): { offered: Topic[]; chosen: Topic[] } {
  const offered = [ALL_GAMES, NEW_GAMES, ...games.map(({ slug }) => slug)];
  return { offered, chosen: offered.filter((topic) => fields.has(TOPIC_FIELD + topic)) };
}
