import type { Mutant } from './mutant.ts'

const MIX_UP = 'test/spec/security/security-mix-up.test.ts'

/** S61 to S70, S96 and S97: who vouches for an id, where codes go, which addresses may be called. */
export const IDENTITY_MUTANTS: readonly Mutant[] = [
  {
    check: 'S61',
    file: 'src/flows/sign-in/start.ts',
    find: ' || namesServerInLink(service, given)',
    replace: '',
    tests: [MIX_UP],
  },
  {
    check: 'S62',
    file: 'src/access/register-app.ts',
    find: 'JSON.stringify([server, baseUrl])',
    replace: 'JSON.stringify([baseUrl])',
    tests: [MIX_UP],
  },
  {
    check: 'S63',
    file: 'src/flows/sign-in/callback.ts',
    find: ' && value.registration === registration',
    replace: '',
    tests: [MIX_UP],
  },
  {
    check: 'S64',
    file: 'src/kit/connector/service-addresses.ts',
    find: 'if (addresses.length === 0 && named === undefined) return undefined',
    replace: 'if (named === undefined) return undefined',
    tests: [MIX_UP],
  },
  {
    check: 'S65',
    file: 'src/upstream/typed/app-password.ts',
    find: 'if (!isNamedServer(auth, values, parameters.get(auth.names.server)))',
    replace: "if (auth.names.server === '')",
    tests: [MIX_UP],
  },
  {
    check: 'S66',
    file: 'src/kit/connector/who-vouches.ts',
    find: 'nobody: { findsAccount: false,',
    replace: 'nobody: { findsAccount: true,',
    tests: ['test/spec/security/nobody-vouches.test.ts'],
  },
  {
    check: 'S67',
    file: 'src/upstream/call/call-service.ts',
    find: 'isPublic || target.origin === new URL(from).origin ? target.href : undefined',
    replace: 'target.href',
    tests: ['test/spec/security/every-connector-trust.test.ts'],
  },
  {
    check: 'S68',
    file: 'src/http/server/permissions.ts',
    find: 'for (const [field, why] of Object.entries(operatorOnly))',
    replace: 'for (const [field, why] of Object.entries(operatorOnly).slice(1))',
    tests: ['test/spec/operators/roles.test.ts'],
  },
  {
    check: 'S69',
    file: 'src/platform/egress/trust.ts',
    find: "stranger: {\n    list: 'allowPrivateTyped',",
    replace: "stranger: {\n    list: 'allowPrivate',",
    tests: ['test/spec/security/trust-levels.test.ts'],
  },
  {
    check: 'S70',
    file: 'src/http/demo/exposed.ts',
    find: 'if (isExposed(deps, request)) throw',
    replace: "if (!/^(localhost|127)/.test(request.headers.host ?? '')) throw",
    tests: ['test/spec/connect/demo-app.test.ts'],
  },
  {
    check: 'S96',
    file: 'src/config/program-name.ts',
    find: '--no-install ',
    replace: '',
    tests: ['test/package-names.test.ts'],
  },
  {
    check: 'S97',
    file: 'src/http/server.ts',
    find: 'if (isBrowserWrite(request.method, route)) requireOwnPage',
    replace: "if (request.method === 'TRACE') requireOwnPage",
    tests: ['test/spec/operating/every-route.test.ts'],
  },
]
