import { createRootRoute, createRoute, createRouter, lazyRouteComponent, Outlet } from '@tanstack/react-router'
import { type ComponentType, lazy } from 'react'
import { Frame } from './frame.tsx'
import { NotFound } from './not-found.tsx'
import { OperatorsOnly } from './operators-only.tsx'
import {
  accountsSearch,
  appSearch,
  auditSearch,
  destinationSearch,
  faultsSearch,
  frameSearch,
  itemsSearch,
  logSearch,
  newDestinationSearch,
  overviewSearch,
  parseSearch,
  servicesSearch,
  signInSearch,
  stringifySearch,
} from './search.ts'

const root = createRootRoute({ component: Outlet, notFoundComponent: NotFound })
const framed = createRoute({ getParentRoute: () => root, id: 'framed', component: Frame, validateSearch: frameSearch })
const inFrame = { getParentRoute: () => framed }
const alone = { getParentRoute: () => root }

// A page is loaded when it is first opened, so that the first page stays small. Routes are constants, because the compiler
// forgets the types of those that are made inside the tree.
const overview = createRoute({
  ...inFrame,
  path: '/',
  validateSearch: overviewSearch,
  component: lazyRouteComponent(() => import('./pages/overview/page.tsx')),
})
const apps = createRoute({
  ...inFrame,
  path: '/apps',
  component: lazyRouteComponent(() => import('./pages/apps/page.tsx')),
})
const app = createRoute({
  ...inFrame,
  path: '/apps/$app',
  validateSearch: appSearch,
  component: lazyRouteComponent(() => import('./pages/apps/app.tsx')),
})
const accounts = createRoute({
  ...inFrame,
  path: '/accounts',
  validateSearch: accountsSearch,
  component: lazyRouteComponent(() => import('./pages/accounts/page.tsx')),
})
const faults = createRoute({
  ...inFrame,
  path: '/accounts/faults',
  validateSearch: faultsSearch,
  component: lazyRouteComponent(() => import('./pages/accounts/faults-page.tsx')),
})
const account = createRoute({
  ...inFrame,
  path: '/accounts/$account',
  component: lazyRouteComponent(() => import('./pages/accounts/account-page.tsx')),
})
const items = createRoute({
  ...inFrame,
  path: '/items',
  validateSearch: itemsSearch,
  component: lazyRouteComponent(() => import('./pages/items/page.tsx')),
})
const push = createRoute({
  ...inFrame,
  path: '/push',
  component: lazyRouteComponent(() => import('./pages/push/page.tsx')),
})
const newDestination = createRoute({
  ...inFrame,
  path: '/push/new',
  validateSearch: newDestinationSearch,
  component: lazyRouteComponent(() => import('./pages/push/wizard-page.tsx')),
})
const destination = createRoute({
  ...inFrame,
  path: '/push/$destination',
  validateSearch: destinationSearch,
  component: lazyRouteComponent(() => import('./pages/push/destination-page.tsx')),
})
const services = createRoute({
  ...inFrame,
  path: '/services',
  validateSearch: servicesSearch,
  component: lazyRouteComponent(() => import('./pages/services/page.tsx')),
})
const log = createRoute({
  ...inFrame,
  path: '/log',
  validateSearch: logSearch,
  component: lazyRouteComponent(() => import('./pages/log/page.tsx')),
})
const operation = createRoute({
  ...inFrame,
  path: '/log/$id',
  component: lazyRouteComponent(() => import('./pages/log/inspect-page.tsx')),
})
const audit = createRoute({
  ...inFrame,
  path: '/audit',
  validateSearch: auditSearch,
  component: lazyRouteComponent(() => import('./pages/audit/page.tsx')),
})
const operators = createRoute({
  ...inFrame,
  path: '/operators',
  component: forOperators(() => import('./pages/operators/page.tsx')),
})
const settings = createRoute({
  ...inFrame,
  path: '/settings',
  component: forOperators(() => import('./pages/settings/page.tsx')),
})
const ownAccount = createRoute({
  ...inFrame,
  path: '/account',
  component: lazyRouteComponent(() => import('./pages/account/page.tsx')),
})
const signIn = createRoute({
  ...alone,
  path: '/sign-in',
  validateSearch: signInSearch,
  component: lazyRouteComponent(() => import('./pages/sign-in/page.tsx')),
})
const accept = createRoute({
  ...alone,
  path: '/accept',
  component: lazyRouteComponent(() => import('./pages/accept/page.tsx')),
})

const tree = root.addChildren([
  framed.addChildren([
    overview,
    apps,
    app,
    accounts,
    faults,
    account,
    items,
    push,
    newDestination,
    destination,
    services,
    log,
    operation,
    audit,
    operators,
    settings,
    ownAccount,
  ]),
  signIn,
  accept,
])

export function createDashboardRouter() {
  return createRouter({
    routeTree: tree,
    basepath: '/dashboard',
    parseSearch,
    stringifySearch,
    defaultNotFoundComponent: NotFound,
  })
}

/** Makes the routes known to every link and to every reader of parameters. */
declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createDashboardRouter>
  }
}

/** Developers read why they do not see it. */
function forOperators(load: () => Promise<{ default: ComponentType }>) {
  const Page = lazy(load)
  return () => (
    <OperatorsOnly>
      <Page />
    </OperatorsOnly>
  )
}
