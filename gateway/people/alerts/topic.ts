import { SLUG } from '../../../scripts/format/dist-format.ts';
import type { GameEvent } from './event.ts';

/** What an account may follow: a game by its slug, `all_games`, or `new_games`. */
export type Topic = string;

/** All games; no slug has an underscore. */
export const ALL_GAMES: Topic = 'all_games';
/** Games that are new. */
export const NEW_GAMES: Topic = 'new_games';

const SLUG_FORM = new RegExp(SLUG);

/** Whether a text is a topic; whether there is such a game is not known here. */
export function isTopic(text: string): boolean {
  return text === ALL_GAMES || text === NEW_GAMES || SLUG_FORM.test(text);
}

/** The topics that an event belongs to. Who follows several of them follows it by the first. */
export function topicsOf({ type, data }: Pick<GameEvent, 'type' | 'data'>): Topic[] {
  return [ALL_GAMES, ...(type === 'game.added' ? [NEW_GAMES] : []), data.game];
}

/** The topic by which those who follow some topics follow an event; undefined where they do not. */
export function followedBy(event: GameEvent, follows: readonly Topic[]): Topic | undefined {
  return topicsOf(event).find((topic) => follows.includes(topic));
}
