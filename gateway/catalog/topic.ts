import { SLUG } from '../../scripts/format/dist-format.ts';

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
