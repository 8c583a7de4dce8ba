import { type Check, type Fault, notSet, type SecretReport, warning } from './check.ts';

const UNKNOWN = notSet(
  'the secrets of webhooks were not read',
  'first correct what other checks report about the store or GATEWAY_SECRET_KEYS',
);

export const secretsCheck: Check = {
  name: 'secrets',
  description: 'the secrets of webhooks are encrypted, with a key that is set',
  async find({ settings: { countSecrets, openStore, isStrict } }) {
    // What is wrong with the store or the keys is reported by other checks.
    const opened = await openStore().catch(() => 'unknown' as const);
    const store = opened === 'unknown' ? undefined : opened;
    try {
      const report = await countSecrets(store).catch(() => undefined);
      if (report === undefined || opened === 'unknown') return [UNKNOWN];
      return findFaults(report, isStrict);
    } finally {
      await store?.close();
    }
  },
};

function findFaults({ isOn, plain, unreadable }: SecretReport, isStrict: boolean): Fault[] {
  return [
    ...(unreadable > 0
      ? [
          warning(
            `${unreadable} secrets of webhooks are encrypted with a key that GATEWAY_SECRET_KEYS lacks, so that deliveries wait`,
            'add that key; if it is lost, account holders have to renew their secrets',
          ),
        ]
      : []),
    ...(!isOn && isStrict
      ? [
          warning(
            'GATEWAY_SECRET_KEYS is not set, so that the secrets of webhooks are stored without encryption',
            'set it to a key, as openssl rand -base64 32 makes it, when all gateways run this version',
          ),
        ]
      : []),
    ...(!isOn && !isStrict
      ? [
          notSet(
            'GATEWAY_SECRET_KEYS is not set',
            'the secrets of webhooks are stored without encryption; set it before others can reach the gateway',
          ),
        ]
      : []),
    ...(plain > 0
      ? [warning(`${plain} secrets of webhooks are not encrypted yet`, 'run gateway alerts encrypt')]
      : []),
  ];
}
