import type { Mappings } from '../../compile/mapping.ts';
import type { Finding } from '../../findings/findings.ts';
import type { GameSource } from '../../read/game/read-game.ts';
import type { GameCheck } from './game-check.ts';
import { limitsOf } from '../rule.ts';
import { gameSizeCheck } from './game-size.ts';
import { tableUnreadCheck } from './table-unread.ts';

/** All checks of a game's definition. */
export const GAME_CHECKS: readonly GameCheck<string>[] = [tableUnreadCheck, gameSizeCheck];

/** Runs all checks of a game's definition. */
export function checkGame(game: GameSource, mappings: Mappings): Finding[] {
  return GAME_CHECKS.flatMap((rule) => {
    const { name, severity } = rule;
    const findings = rule.check(game, mappings, limitsOf(rule, game.checks));
    return findings.map((finding): Finding => ({ check: name, severity, ...finding }));
  });
}
