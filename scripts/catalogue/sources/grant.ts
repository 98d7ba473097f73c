import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defined, literalAddress, nameIn, type SourceFacts } from '../facts.ts'

interface Provider {
  request_url?: string
  authorize_url: string
  access_url: string
  oauth: 1 | 2
  scope_delimiter?: string
}

/** `simov/grant` (MIT): `config/oauth.json` and `config/profile.json`. */
export function readGrant(folder: string): SourceFacts[] {
  const read = <Value>(name: string) => JSON.parse(readFileSync(join(folder, 'config', name), 'utf8')) as Value
  const profiles = read<Record<string, { profile_url?: string }>>('profile.json')
  return Object.entries(read<Record<string, Provider>>('oauth.json')).map(([name, provider]) =>
    defined({
      source: 'grant',
      name: nameIn(name),
      request: literalAddress(provider.request_url),
      authorize: literalAddress(provider.authorize_url),
      token: literalAddress(provider.access_url),
      separator: provider.scope_delimiter,
      profile: literalAddress(profiles[name]?.profile_url),
    }),
  )
}
