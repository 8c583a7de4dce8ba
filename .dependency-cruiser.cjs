// The import rules of docs/ARCHITECTURE.md, checked on the compiled code: `npm run imports`.

/** The floors of the gateway, the lowest first: a file imports from its own floor and those below. */
const FLOORS = [
  ['http'],
  ['query', 'search'],
  ['data', 'store', 'access', 'mirror'],
  ['api'],
  ['people', 'site', 'mcp', 'openapi', 'metrics', 'bulk', 'client'],
];
const program = '^build/gateway/(serve|server|program|cli)\\.js$';

const floors = FLOORS.map((rooms, floor) => ({
  name: `floor-${rooms[0]}`,
  severity: 'error',
  // The route table lists all routes, also those of the documents.
  from: {
    path: `^build/gateway/(${rooms.join('|')})/`,
    pathNot: '^build/gateway/(api/routes\\.js|people/commands)',
  },
  to: { path: [`^build/gateway/(${['-', ...FLOORS.slice(floor + 1).flat()].join('|')})/`, program] },
}));

module.exports = {
  forbidden: [
    ...floors,
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'scripts-never-import-gateway',
      severity: 'error',
      from: { path: '^build/scripts/' },
      to: { path: '^build/gateway/' },
    },
    { name: 'no-unresolved', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '/public/|/islands/' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
  },
};
