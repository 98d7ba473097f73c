/** The pages of the navigation, in its order. The others are reached from these. */
export const NAVIGATION = [
  { to: '/', title: 'Overview' },
  { to: '/apps', title: 'Apps and keys' },
  { to: '/accounts', title: 'Accounts' },
  { to: '/items', title: 'Items' },
  { to: '/push', title: 'Push' },
  { to: '/services', title: 'Services' },
  { to: '/log', title: 'Log' },
  { to: '/audit', title: 'Audit' },
  { to: '/operators', title: 'Operators', isForOperators: true },
  { to: '/settings', title: 'Settings', isForOperators: true },
] as const
