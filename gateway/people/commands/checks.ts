import type { Store } from '../../store/store.ts';
import type { CheckSetup, Fault, PartCheck } from '../../facts/checks.ts';
import { countSecrets } from '../alerts/encrypt-secrets.ts';
import { verifySmtp } from '../mail/verify-smtp.ts';
import { readVaultSetting } from './vault-setting.ts';

const UNREAD: Fault = {
  level: 'not set',
  problem: 'the secrets of webhooks were not read',
  advice: 'first correct what other checks report about the store or GATEWAY_SECRET_KEYS',
};

/** How the secrets of webhooks are stored. */
interface SecretReport {
  /** Whether there is a key that encrypts them. */
  isOn: boolean;
  /** How many are plain although there is a key. */
  plain: number;
  /** How many are encrypted with a key that is unknown. */
  unreadable: number;
}

/** Where the checks look; tests look elsewhere. */
const WORLD = { env: () => process.env, countSecrets, verifySmtp };

/** What `gateway doctor` checks about people: the secrets of webhooks, and the mail server. */
export function peopleChecks(world = WORLD): PartCheck[] {
  return [
    {
      name: 'secrets',
      description: 'the secrets of webhooks are encrypted, with a key that is set',
      find: (setup) => findSecretFaults(setup, world),
    },
    {
      name: 'mail',
      description: 'the mail server accepts this gateway',
      find: ({ isStrict }) => findMailFaults(isStrict, world),
    },
  ];
}

async function findSecretFaults(
  { openStore, isStrict }: CheckSetup,
  { env, countSecrets: count }: typeof WORLD,
): Promise<Fault[]> {
  let store: Store | undefined;
  try {
    store = await openStore();
    const vault = readVaultSetting(env());
    const counted = store ? await count(store, vault) : { plain: 0, unreadable: 0 };
    return describeSecrets({ isOn: vault.isOn, ...counted }, isStrict);
  } catch {
    // What is wrong with the store or the keys is reported by other checks.
    return [UNREAD];
  } finally {
    await store?.close();
  }
}

function describeSecrets({ isOn, plain, unreadable }: SecretReport, isStrict: boolean): Fault[] {
  const faults: Fault[] = [];
  if (unreadable > 0)
    faults.push({
      level: 'warning',
      problem: `${unreadable} secrets of webhooks are encrypted with a key that GATEWAY_SECRET_KEYS lacks, so that deliveries wait`,
      advice: 'add that key; if it is lost, account holders have to renew their secrets',
    });
  if (!isOn && isStrict)
    faults.push({
      level: 'warning',
      problem:
        'GATEWAY_SECRET_KEYS is not set, so that the secrets of webhooks are stored without encryption',
      advice: 'set it to a key, as openssl rand -base64 32 makes it, when all gateways run this version',
    });
  if (!isOn && !isStrict)
    faults.push({
      level: 'not set',
      problem: 'GATEWAY_SECRET_KEYS is not set',
      advice:
        'the secrets of webhooks are stored without encryption; set it before others can reach the gateway',
    });
  if (plain > 0)
    faults.push({
      level: 'warning',
      problem: `${plain} secrets of webhooks are not encrypted yet`,
      advice: 'run gateway alerts encrypt',
    });
  return faults;
}

async function findMailFaults(
  isStrict: boolean,
  { env, verifySmtp: verify }: typeof WORLD,
): Promise<Fault[]> {
  const { SMTP_URL } = env();
  if (!SMTP_URL) return [describeNoMail(isStrict)];
  try {
    await verify(SMTP_URL);
    return [];
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    const advice =
      'see whether the mail server runs and can be reached, and whether the user and password of SMTP_URL are right';
    return [{ level: 'error', problem: `the mail server of SMTP_URL cannot be used: ${reason}`, advice }];
  }
}

function describeNoMail(isStrict: boolean): Fault {
  return isStrict
    ? {
        level: 'warning',
        problem: 'there is no mail server, so that sign-up and account pages are off',
        advice: 'set SMTP_URL and MAIL_FROM, or ignore this if people get their keys from you',
      }
    : {
        level: 'not set',
        problem: 'SMTP_URL is not set',
        advice: 'mails are written to files in var/outbox, and nobody gets one',
      };
}
