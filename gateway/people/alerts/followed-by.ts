import { ALL_GAMES, NEW_GAMES, type Topic } from '../../catalog/topic.ts';
import type { GameEvent } from './event.ts';

/** The topics that an event belongs to. Who follows several of them follows it by the first. */
export function topicsOf({ type, data }: Pick<GameEvent, 'type' | 'data'>): Topic[] {
  return [ALL_GAMES, ...(type === 'game.added' ? [NEW_GAMES] : []), data.game];
}

/** The topic by which those who follow some topics follow an event; undefined where they do not. */
export function followedBy(event: GameEvent, follows: readonly Topic[]): Topic | undefined {
  return topicsOf(event).find((topic) => follows.includes(topic));
}
