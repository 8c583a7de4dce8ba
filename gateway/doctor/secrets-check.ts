import { type Check, type Fault, type SecretReport, warning } from './check.ts';

export const secretsCheck: Check = {
  name: 'secrets',
  description: 'the secrets of webhooks are encrypted, with a key that is set',
  async find({ settings: { countSecrets, openStore, isStrict } }) {
    // What is wrong with the store or the keys is reported by other checks.
    const store = await openStore().catch(() => undefined);
    try {
      const report = store && (await countSecrets(store).catch(() => undefined));
      return report ? findFaults(report, isStrict) : [];
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
    ...(plain > 0
      ? [warning(`${plain} secrets of webhooks are not encrypted yet`, 'run gateway alerts encrypt')]
      : []),
  ];
}
