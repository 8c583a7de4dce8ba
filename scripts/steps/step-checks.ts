import type { StepChecks } from '../check/step-checks.ts';
import { checkGame } from './game/check-game.ts';
import { checkSettings, settingsSchema } from './settings.ts';
import { GameStepChecker } from './step-checker.ts';

/** What the part offers to the core. */
export const stepChecks: StepChecks = {
  begin: () => new GameStepChecker(),
  checkSettings,
  checkGame,
  settingsSchema,
};
