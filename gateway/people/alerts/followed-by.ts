import type { GameEvent } from './events/event.ts';
import { ALL_GAMES, NEW_GAMES, type Topic } from './subscription.ts';

/** Returns the topics that an event belongs to, in the order in which `followedBy` tries them. */
export function topicsOf({ type, data }: Pick<GameEvent, 'type' | 'data'>): Topic[] {
  return [ALL_GAMES, ...(type === 'game.added' ? [NEW_GAMES] : []), data.game];
}

/** Returns the first topic of an event that is in `follows`; undefined when none is. */
export function followedBy(event: GameEvent, follows: readonly Topic[]): Topic | undefined {
  return topicsOf(event).find((topic) => follows.includes(topic));
}
