import { ROUTES } from '#http/routes.ts'
import { callerGroups, OF_DEVELOPERS, shortList } from './callers.ts'

/** A rule of roles, and the test that shows it. */
interface RoleRule {
  what: string
  operator: string
  developer: string
  shownBy: readonly [file: string, title: string]
}

const ROLES = 'test/spec/operators/roles.test.ts'
const counted = (who: string) => callerGroups().find((group) => group.who === who)!.routes

const fields = ROUTES.flatMap(([method, path, { operatorOnly = {} }]) =>
  Object.entries(operatorOnly).map(([field, why]) => ({ route: `\`${method} ${path}\``, field, why })),
)

/** What each role may do. An operator is also who holds the admin token. */
export const ROLE_RULES: RoleRule[] = [
  {
    what: `${counted(OF_DEVELOPERS['of the app']).length} routes of one app: \`/admin/apps/:client_id…\``,
    operator: 'of every app',
    developer: 'of their apps; another app looks like one that does not exist',
    shownBy: [ROLES, 'gets nothing of the other app'],
  },
  {
    what: shortList(counted(OF_DEVELOPERS.all)),
    operator: 'everything',
    developer: 'their apps, the entries of these, their own sessions',
    shownBy: [ROLES, 'reads own apps, accounts and items'],
  },
  {
    what: shortList(counted(OF_DEVELOPERS.none)),
    operator: 'yes',
    developer: 'refused (`role_refused`)',
    shownBy: [ROLES, 'is refused'],
  },
  ...fields.map(({ route, field, why }) => ({
    what: `\`${field}\` of ${route}: ${why.replace(/\.$/, '')}`,
    operator: 'yes',
    developer: 'refused (`role_refused`); what an operator set stays when a developer replaces the rest',
    shownBy: [ROLES, 'and stay when a developer replaces key and secret'] as const,
  })),
  {
    what: 'every route of apps and of accounts, in their name (`Tributary-App`, `Tributary-Account`); recorded in the audit log',
    operator: 'for every app and account',
    developer: 'for their apps and the accounts of these',
    shownBy: [ROLES, 'is refused for the other'],
  },
  {
    what: 'routes with †, and settings of an app by which others could get the tokens of people',
    operator: 'with a password or passkey of the last ten minutes; the admin token is sent each time',
    developer: 'likewise, where the route is theirs',
    shownBy: [
      'test/spec/operators/stolen-access.test.ts',
      'cannot delete an account as its person, nor open an app to others, nor drop a destination',
    ],
  },
  {
    what: '`GET /metrics` from elsewhere than the machine',
    operator: 'yes',
    developer: 'refused: they concern the whole installation',
    shownBy: [ROLES, 'is refused what has no app: metrics of the installation'],
  },
]

/** The table of roles. */
export function rolesTable(): string {
  const rows = ROLE_RULES.map(
    ({ what, operator, developer, shownBy: [file, title] }) =>
      `| ${what} | ${operator} | ${developer} | [${file.split('/').at(-1)}](../${file}) “${title}” |`,
  )
  return ['| what | operator | developer | shown by |', '|---|---|---|---|', ...rows].join('\n')
}
