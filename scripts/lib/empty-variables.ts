/** The environment variables that are settings of `gamedata` and `gateway`. */
const SETTINGS = /^(AWS|GAMEDATA|GATEWAY|KOFI|MAIL|PATREON|SMTP)_/;

/**
 * Removes settings that are empty from an environment: an empty setting counts as not set, as compose files and `.env` files write
 * settings that are left out (`SMTP_URL=`).
 */
export function removeEmptyVariables(environment: NodeJS.ProcessEnv): void {
  for (const [name, value] of Object.entries(environment))
    if (value === '' && SETTINGS.test(name)) delete environment[name];
}
