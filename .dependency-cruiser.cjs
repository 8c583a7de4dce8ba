// The import rules of docs/ARCHITECTURE.md, checked on the compiled code: `npm run imports`.
module.exports = {
  forbidden: [
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'scripts-never-import-gateway',
      severity: 'error',
      from: { path: '^build/scripts/' },
      to: { path: '^build/gateway/' },
    },
    {
      name: 'nothing-imports-a-program',
      severity: 'error',
      from: { pathNot: '^build/test/' },
      to: { path: '^build/(gateway|scripts)/cli\\.js$' },
    },
    { name: 'no-unresolved', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '/public/|/islands/' },
  },
};
