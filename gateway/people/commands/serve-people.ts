import cluster from 'node:cluster';
import { type Command, Option } from 'commander';
import { CommandError } from '../../../scripts/lib/command-error.ts';
import type { Core, MakePart, PartSetup, RunningPart, ServedPart } from '../../commands/door.ts';
import type { ServeOptions } from '../../commands/serve-options.ts';
import { withStore } from '../../commands/store-command.ts';
import { isStrict, parseSwitch } from '../../commands/strict-mode.ts';
import { whenPrepared } from '../../http/work.ts';
import { type Facts, factsOf } from '../../facts/facts.ts';
import { ACCOUNT } from '../account-pages/addresses.ts';
import type { QueryReader } from '../accounts/read-address-terms.ts';
import { describeDemo } from '../demo/demo.ts';
import { issueDemoKeys, revokeDemoKeys } from '../demo/demo-keys.ts';
import { type PeopleJobs, peopleEndpoints, peopleServices, startPeopleJobs } from '../people.ts';
import { SIGNUP } from '../signup/pages.tsx';
import { MEMBERSHIP_HELP } from './membership-settings.ts';
import { type PeopleSettings, readPeopleSettings } from './people-settings.ts';
import type { SignupChoice } from './signup-settings.ts';

/** The options of `gateway serve` about people, besides those of the core. */
interface PeopleChoice extends SignupChoice {
  demo: boolean;
}

const HELP = `
Mails are sent by the server SMTP_URL, smtps://user:password@host:465 or smtp://host:587, from the sender MAIL_FROM. Both are environment
variables. Without them, mails are written to files in var/outbox if only this machine can reach the gateway.

Platforms that sell memberships report them to /webhooks/patreon and /webhooks/ko-fi, if the environment configures them:
  PATREON_WEBHOOK_SECRET   the secret that Patreon shows for the webhook
  KOFI_VERIFICATION_TOKEN  the token that Ko-fi shows for the webhook${MEMBERSHIP_HELP}`;

/** Accounts, sign-up, memberships, alerts and the keys of a demo, for `gateway serve`. */
export const SERVED_PEOPLE: ServedPart = {
  addOptions,
  prepare,
  supervise,
};

function addOptions(command: Command): void {
  command
    .addOption(
      new Option(
        '--signup <on|off>',
        'let people get keys by mail, on the page /signup (default: on; off if others can reach the gateway and SMTP_URL is not set)',
      )
        .env('GATEWAY_SIGNUP')
        .argParser(parseSwitch),
    )
    .addOption(
      new Option(
        '--demo [on|off]',
        'issue a free and a Pro key for a trial, which work until the gateway stops',
      )
        .env('GATEWAY_DEMO')
        .preset('on')
        .default(false, 'off')
        .argParser(parseSwitch),
    )
    .addHelpText('after', HELP);
}

async function prepare(setup: PartSetup): Promise<MakePart> {
  const { command, log } = setup;
  const facts = factsOf(setup);
  const options = command.opts<PeopleChoice>();
  refusePublicDemo(options);
  const settings = await readPeopleSettings(options, log);
  facts.hasSignup = settings.signupMailer !== undefined;
  facts.mails = settings.mails;
  return (core) => new RunningPeople(core, options, settings, facts);
}

/** Deletes the keys of demos in the process above workers, which is theirs. */
async function supervise({ command }: PartSetup): Promise<() => Promise<void>> {
  const { store, storeId, ...options } = command.opts<ServeOptions & PeopleChoice>();
  refusePublicDemo(options);
  const revoke = () => withStore(store, revokeDemoKeys, storeId);
  await revoke();
  return revoke;
}

/** @throws CommandError if others can reach a gateway that prints keys */
function refusePublicDemo(options: PeopleChoice): void {
  if (!options.demo || !isStrict(options)) return;
  throw new CommandError(
    '--demo prints keys, so --host and --public-url must be loopback addresses, without --trusted-proxy; --dev turns this check off',
    2,
  );
}

class RunningPeople implements RunningPart {
  readonly endpoints;
  readonly people;
  readonly #core: Core;
  readonly #settings: PeopleSettings;
  readonly #hasDemo: boolean;
  readonly #options;
  #jobs: PeopleJobs | undefined;

  constructor(core: Core, { demo }: PeopleChoice, settings: PeopleSettings, facts: Facts) {
    const { joinLinks, hasSite } = facts;
    this.#core = core;
    this.#settings = settings;
    this.#hasDemo = demo && (cluster.isPrimary || cluster.worker?.id === 1);
    const read: QueryReader['read'] = (asked, view) => core.gateway().read(asked, view);
    this.#options = { ...core, ...settings, read, joinLinks, hasSite };
    this.endpoints = peopleEndpoints(this.#options);
    this.people = peopleServices(core.store);
    facts.readAlerts = async () => (await this.#jobs?.readAlerts()) ?? [];
  }

  /** A demo that was killed leaves its keys behind. */
  async open(): Promise<void> {
    if (cluster.isPrimary) await revokeDemoKeys(this.#core.store);
  }

  /** Prints the keys of a demo. */
  async print(): Promise<void> {
    if (!this.#hasDemo) return;
    const { store, now, follower, address } = this.#core;
    const pid = cluster.isPrimary ? process.pid : process.ppid;
    const keys = await issueDemoKeys(store, now(), pid);
    const view = follower.catalog.viewAt(now(), 'free');
    process.stdout.write(await whenPrepared(() => describeDemo(address(), keys, view)));
  }

  start(): void {
    this.#jobs = startPeopleJobs(this.#options);
  }

  describe() {
    const { signupMailer, accountMailer, platforms } = this.#settings;
    const publicUrl = this.#core.publicUrl();
    const webhooks = platforms.flatMap(({ name, readWebhook }) => (readWebhook ? name : []));
    return {
      ...(signupMailer && { signup: `${publicUrl}${SIGNUP}` }),
      ...(accountMailer && { account: `${publicUrl}${ACCOUNT}` }),
      webhooks: webhooks.join(', ') || undefined,
    };
  }

  async close(): Promise<void> {
    await this.#jobs?.close();
    if (cluster.isPrimary) await revokeDemoKeys(this.#core.store);
  }
}
