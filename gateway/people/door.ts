import { ACCOUNT_KEEPERS } from '../store/accounts/ports.ts';
import { ROUTE_CHANGES } from '../api/ports.ts';
import type { Door } from '../commands/door.ts';
import { PART_CHECKS } from '../facts/checks.ts';

export const door: Door = {
  name: 'people',
  offer() {
    ACCOUNT_KEEPERS.offer('people', async () => (await import('./account-keeper.ts')).ACCOUNT_KEEPER);
    ROUTE_CHANGES.offer('people', async () => (await import('./alerts/events/events-route.ts')).EVENT_ROUTES);
    PART_CHECKS.offer('people', async () => (await import('./commands/checks.ts')).peopleChecks());
  },
  commands: {
    accounts: {
      summary: 'show, grant, export, audit and delete accounts',
      load: async () => (await import('./commands/accounts.ts')).accountsCommand(),
    },
    links: {
      summary: 'make, list and revoke read-only addresses of accounts',
      load: async () => (await import('./commands/links.ts')).linksCommand(),
    },
    follows: {
      summary: 'list, add and remove what accounts follow',
      load: async () => (await import('./commands/follows.ts')).followsCommand(),
    },
    alerts: {
      summary: 'set on which channels accounts get alerts',
      load: async () => (await import('./commands/alerts.ts')).alertsCommand(),
    },
    members: {
      summary: 'list, import and revoke memberships',
      load: async () => (await import('./commands/members.ts')).membersCommand(),
    },
    requests: {
      summary: 'add, list, accept, decline and finish game requests',
      load: async () => (await import('./commands/requests.ts')).requestsCommand(),
    },
  },
  loadServed: async () => (await import('./commands/serve-people.ts')).SERVED_PEOPLE,
};
