import type { ComponentType } from 'react'

export interface PageEntry {
  /** Below `/dashboard`, in the router's syntax. */
  path: string
  /** In the navigation; pages without it are reached from others. */
  navigation?: string
  /** Loaded when it is first opened, so that the first page stays small. */
  load: () => Promise<{ default: ComponentType }>
  /** Shown without a session, and without the frame. */
  isOpen?: boolean
  /** Only for operators: developers do not see it in the navigation, and read why at its address. */
  isForOperators?: boolean
}

/** Every page of the dashboard, in the order of the navigation. */
export const PAGES: PageEntry[] = [
  { path: '/', navigation: 'Overview', load: () => import('./pages/overview/page.tsx') },
  { path: '/apps', navigation: 'Apps and keys', load: () => import('./pages/apps/page.tsx') },
  { path: '/apps/$app', load: () => import('./pages/apps/app.tsx') },
  { path: '/accounts', navigation: 'Accounts', load: () => import('./pages/accounts/page.tsx') },
  { path: '/accounts/faults', load: () => import('./pages/accounts/faults-page.tsx') },
  { path: '/accounts/$account', load: () => import('./pages/accounts/account-page.tsx') },
  { path: '/items', navigation: 'Items', load: () => import('./pages/items/page.tsx') },
  { path: '/push', navigation: 'Push', load: () => import('./pages/push/page.tsx') },
  { path: '/push/new', load: () => import('./pages/push/wizard-page.tsx') },
  { path: '/push/$destination', load: () => import('./pages/push/destination-page.tsx') },
  { path: '/services', navigation: 'Services', load: () => import('./pages/services/page.tsx') },
  { path: '/log', navigation: 'Log', load: () => import('./pages/log/page.tsx') },
  { path: '/log/$id', load: () => import('./pages/log/inspect-page.tsx') },
  { path: '/audit', navigation: 'Audit', load: () => import('./pages/audit/page.tsx') },
  {
    path: '/operators',
    navigation: 'Operators',
    isForOperators: true,
    load: () => import('./pages/operators/page.tsx'),
  },
  { path: '/settings', navigation: 'Settings', isForOperators: true, load: () => import('./pages/settings/page.tsx') },
  { path: '/account', load: () => import('./pages/account/page.tsx') },
  { path: '/sign-in', isOpen: true, load: () => import('./pages/sign-in/page.tsx') },
  { path: '/accept', isOpen: true, load: () => import('./pages/accept/page.tsx') },
]
