import { createRootRoute, createRoute, createRouter, lazyRouteComponent, Outlet } from '@tanstack/react-router'
import { lazy } from 'react'
import { parseSearch, stringifySearch } from './address.ts'
import { Frame } from './frame.tsx'
import { NotFound } from './not-found.tsx'
import { OperatorsOnly } from './operators-only.tsx'
import { PAGES, type PageEntry } from './pages.ts'

export function createDashboardRouter() {
  const root = createRootRoute({ component: Outlet, notFoundComponent: NotFound })
  const framed = createRoute({ getParentRoute: () => root, id: 'framed', component: Frame })
  const routeOf = (parent: typeof root | typeof framed, page: PageEntry) =>
    createRoute({ getParentRoute: () => parent as typeof root, path: page.path, component: componentOf(page) })
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

function componentOf({ load, isForOperators }: PageEntry) {
  if (isForOperators !== true) return lazyRouteComponent(load)
  const Page = lazy(load)
  return () => (
    <OperatorsOnly>
      <Page />
    </OperatorsOnly>
  )
}
