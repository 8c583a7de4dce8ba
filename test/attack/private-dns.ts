import { createRequire, syncBuiltinESMExports } from 'node:module';

/**
 * Preloaded by a gateway under attack: its resolver asks the name server of the attack, whose port is in ATTACK_DNS. Everything else stays
 * as it is. In a real attack, the name server of the attacker's own domain gives these answers.
 */
const dns = createRequire(import.meta.url)('node:dns/promises') as typeof import('node:dns/promises');

class AttackedResolver extends dns.Resolver {
  constructor(options?: ConstructorParameters<typeof dns.Resolver>[0]) {
    super(options);
    this.setServers([`127.0.0.1:${process.env.ATTACK_DNS}`]);
  }
}

Object.assign(dns, { Resolver: AttackedResolver });
syncBuiltinESMExports();
