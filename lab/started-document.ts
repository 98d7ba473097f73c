import type { Lab } from './lab.ts'

interface StartedService {
  title: string
  url: string
  client: { key: string; secret: string; redirect_uris: string[] }
  endpoints: Record<string, string>
  people: { username: string; password: string; name: string }[]
}

export interface StartedDocument {
  services: Record<string, StartedService>
}

/** The fixed demo client: the same key and secret at every start. */
export function startedDocument(lab: Lab, redirectUris: string[]): StartedDocument {
  const services: Record<string, StartedService> = {}
  for (const service of Object.values(lab.services)) {
    const key = `${service.name}-demo-key`
    const registered = service.register({
      name: 'Demo app',
      redirectUris,
      key,
      secret: `${service.name}-demo-secret`,
    })
    services[service.name] = {
      title: service.title,
      url: service.url,
      client: { ...registered, redirect_uris: redirectUris },
      endpoints: service.endpoints,
      people: service.people.map(({ username, password, name }) => ({ username, password, name })),
    }
  }
  return { services }
}

export function startedText(started: StartedDocument): string {
  return Object.entries(started.services)
    .map(([name, { title, url, client, endpoints }]) => {
      const rows = Object.entries({ url, key: client.key, secret: client.secret, ...endpoints })
      return `${title} (${name})\n${rows.map(([label, value]) => `  ${label.padEnd(18)} ${value}`).join('\n')}\n`
    })
    .join('\n')
}
