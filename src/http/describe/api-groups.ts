import { firstOf } from '#platform/formats/list-ends.ts'
/** The groups of the API reference, by task. A path belongs to the first group with a matching prefix. */
export const API_GROUPS: { name: string; about: string; paths: string[] }[] = [
  {
    name: 'Agents',
    about:
      'Agents act over MCP for people who consent: the endpoint, its authorization server, and what a person allowed.',
    paths: [
      '/mcp',
      '/agents',
      '/oauth/agents/',
      '/.well-known/oauth-protected-resource/mcp',
      '/.well-known/oauth-authorization-server/mcp',
    ],
  },
  {
    name: 'Sign in',
    about: 'A person connects a service; the app gets a code and exchanges it for an access token.',
    paths: ['/connect', '/oauth/', '/auth/', '/.well-known/'],
  },
  {
    name: 'Accounts and profiles',
    about: 'Accounts and their profiles, the progress of syncs, usage, spending, reconnecting and disconnecting.',
    paths: ['/profile', '/sync', '/export', '/accounts', '/usage', '/spending'],
  },
  {
    name: 'Reading',
    about: 'Synced items in one format: by service, by type, by id.',
    paths: ['/services', '/types', '/id/', '/changes'],
  },
  {
    name: 'Proxy',
    about: "Calls to a service's own API, with the person's credential added.",
    paths: ['/proxy/', '/proxy-tokens'],
  },
  {
    name: 'Push',
    about: "Delivery of an app's data to its own database, files, stream or webhook.",
    paths: ['/push'],
  },
  {
    name: 'Administration',
    about:
      'Apps and their keys, operators and their sessions, the audit log: with the admin token or in the dashboard.',
    paths: ['/admin/', '/dashboard'],
  },
  {
    name: 'Operating',
    about: 'Health, metrics, this description, and webhooks of services.',
    paths: ['/'],
  },
]

export function apiGroupOf(path: string): string {
  return firstOf(API_GROUPS.filter(({ paths }) => paths.some((prefix) => path.startsWith(prefix)))).name
}
