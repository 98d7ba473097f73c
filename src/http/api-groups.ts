import { firstOf } from '#platform/list-ends.ts'
/** How the API reference is ordered: by what somebody wants to do. A path belongs to the first group with a fitting beginning. */
export const API_GROUPS: { name: string; about: string; paths: string[] }[] = [
  {
    name: 'Sign in',
    about: 'A person connects a service; the app gets a code, redeems it, and has an access token.',
    paths: ['/connect', '/oauth/', '/auth/', '/.well-known/'],
  },
  {
    name: 'Accounts and profiles',
    about: 'Who is connected, how far their syncs are, how much is stored, and how they leave.',
    paths: ['/profile', '/usage'],
  },
  {
    name: 'Reading',
    about: 'What was synced, in one shape: by service, by type, by id.',
    paths: ['/services', '/types', '/id/'],
  },
  {
    name: 'Proxy',
    about: "Any call to a service's own API, with the person's credentials added.",
    paths: ['/proxy/'],
  },
  {
    name: 'Push',
    about: "An app's data delivered into its own database, files or stream..",
    paths: ['/push'],
  },
  {
    name: 'Administration',
    about: 'Apps and their keys, with the admin token.',
    paths: ['/admin/'],
  },
  {
    name: 'Operating',
    about: 'Health, figures, this description, and what services call.',
    paths: ['/'],
  },
]

export function apiGroupOf(path: string): string {
  return firstOf(API_GROUPS.filter(({ paths }) => paths.some((beginning) => path.startsWith(beginning)))).name
}
