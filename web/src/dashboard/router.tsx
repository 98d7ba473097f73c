import { createRootRoute, createRoute, createRouter, lazyRouteComponent, Outlet } from '@tanstack/react-router'
import { parseSearch, stringifySearch } from './address.ts'
import { Frame } from './frame.tsx'
import { NotFound } from './not-found.tsx'
import { PAGES, type PageEntry } from './pages.ts'

export function createDashboardRouter() {
  const root = createRootRoute({ component: Outlet, notFoundComponent: NotFound })
  const framed = createRoute({ getParentRoute: () => root, id: 'framed', component: Frame })
  const routeOf = (parent: typeof root | typeof framed, { path, load }: PageEntry) =>
    createRoute({ getParentRoute: () => parent as typeof root, path, component: lazyRouteComponent(load) })
  const inFrame = PAGES.filter(({ isOpen }) => isOpen !== true).map((page) => routeOf(framed, page))
  const open = PAGES.filter(({ isOpen }) => isOpen === true).map((page) => routeOf(root, page))
  return createRouter({
    routeTree: root.addChildren([framed.addChildren(inFrame), ...open]),
    basepath: '/dashboard',
    parseSearch,
    stringifySearch,
    defaultNotFoundComponent: NotFound,
  })
}
