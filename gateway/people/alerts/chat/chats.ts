// The chat services, a line for each. Pages, commands, the API and the tests take them from here.
export { discord } from './discord.ts';
export { slack } from './slack.ts';
export { telegram } from './telegram.ts';
