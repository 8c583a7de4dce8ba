import { ALL_GAMES, NEW_GAMES, type Topic } from '../../catalog/topic.ts';
import type { FollowableGame } from './account-state.ts';

/** How the names of the fields begin that stand for topics. */
export const TOPIC_FIELD = 'follow.';

/** Reads which of the topics that a page offered were chosen there: a browser sends only those. */
export function readFollows(
  fields: ReadonlyMap<string, string>,
  games: readonly FollowableGame[],
): { offered: Topic[]; chosen: Topic[] } {
  const offered = [ALL_GAMES, NEW_GAMES, ...games.map(({ slug }) => slug)];
  return { offered, chosen: offered.filter((topic) => fields.has(TOPIC_FIELD + topic)) };
}
