import { type Listed, ROUTES } from '#http/routes.ts'
import { developersOf } from '#http/server/permissions.ts'
import type { MountedRoute, Route, RouteAuth } from '#http/server/route.ts'
import { PROOFS } from './proofs.ts'

/** Routes with one rule about who may call them. */
export interface Group {
  who: string
  proof: string
  routes: Listed[]
}

const KEYED: Partial<Record<RouteAuth, Omit<Group, 'routes'>>> = {
  account: { who: 'a person, or an app for them', proof: 'an access token of the account' },
  app: { who: 'an app', proof: 'its id and secret, by HTTP Basic' },
}

/** Who calls the routes of operators; in the order of the table. */
export const OF_DEVELOPERS = {
  all: 'operators; developers get what is theirs',
  'of the app': 'operators; developers of the app',
  none: 'operators',
} as const

const SIGNED_IN = 'the admin token, or the session of the dashboard'

/** Every route, in exactly one group. */
export function callerGroups(): Group[] {
  const open = PROOFS.map(({ who, proof, routes }) => ({ who, proof, routes: routes.map(named) }))
  const keyed = Object.entries(KEYED).map(([auth, group]) => ({
    ...group,
    routes: ROUTES.filter(([, , route]) => route.auth === auth),
  }))
  const roles = Object.entries(OF_DEVELOPERS).map(([developers, who]) => ({
    who,
    proof: SIGNED_IN,
    routes: ROUTES.filter(([, path, route]) => route.auth === 'admin' && developersOf(path, route) === developers),
  }))
  return [...open, ...keyed, ...roles]
}

function named(name: string): Listed {
  const found = ROUTES.find(([, , , operationId]) => operationId === name)
  if (found === undefined) throw new Error(`there is no route ${name}`)
  return found
}

/** Who may set a field of a route. */
export function whoSets([, path, route, name]: Listed, field: string): string {
  if (route.auth === 'admin')
    return OF_DEVELOPERS[Object.hasOwn(route.operatorOnly ?? {}, field) ? 'none' : developersOf(path, route)]
  return KEYED[route.auth]?.who ?? PROOFS.find(({ routes }) => routes.includes(name))!.who
}

/** One mark per path: its methods, and `†` behind those that need a recent password or passkey. */
export function shortList(routes: Listed[]): string {
  const byPath = Map.groupBy(routes, ([, path]) => path)
  return [...byPath].map(([path, listed]) => `\`${listed.map(markedMethod).join(' ')} ${path}\``).join(', ')
}

const markedMethod = ([method, , route]: Listed) => `${method}${isDangerous(route) ? '†' : ''}`

const isDangerous = (route: Route | MountedRoute) => route.dangerous === true

/** The table of who may call what. */
export function callersTable(): string {
  const rows = callerGroups().map(
    ({ who, proof, routes }) => `| ${who} | ${proof} | ${routes.length} | ${shortList(routes)} |`,
  )
  return ['| who | proves it by | routes | which |', '|---|---|---|---|', ...rows].join('\n')
}
