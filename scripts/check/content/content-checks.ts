import type { ContentCheck } from './content.ts';

/** All checks of what a build says. */
export const CONTENT_CHECKS: readonly ContentCheck<string>[] = [];
