/** Whose a secret is. `APPH` and `APPD` are the keys of the app that is honest and of the one whose key leads to the hostile world. */
export type Owner = 'HONEST' | 'HOSTILE' | 'APPH' | 'APPD'
export type World = 'HONEST' | 'HOSTILE'

const KINDS = ['code', 'pw', 'tok', 'refresh', 'secret', 'key'] as const
export type SecretKind = (typeof KINDS)[number]

export interface Secret {
  text: string
  owner: Owner
  service: string
  kind: SecretKind
}

const WORLD_OF: Record<Owner, World> = { HONEST: 'HONEST', APPH: 'HONEST', HOSTILE: 'HOSTILE', APPD: 'HOSTILE' }

/** The check that a leak of such a secret fails. */
export const CHECK_OF: Record<SecretKind, 'S63' | 'S65' | 'S67'> = {
  code: 'S63',
  pw: 'S65',
  tok: 'S67',
  refresh: 'S67',
  secret: 'S67',
  key: 'S67',
}

let issued = 0

const nameOf = (service: string) => service.replaceAll('-', '_')

/** A new secret that says whose it is, in characters that no encoding of requests changes. */
export function newSecret(owner: Owner, service: string, kind: SecretKind): string {
  issued += 1
  return `${owner}_${nameOf(service)}_${kind}_${issued}_`
}

const MARK = new RegExp(`(HONEST|HOSTILE|APPH|APPD)_([a-z_]+?)_(${KINDS.join('|')})_\\d+_`, 'g')

/** Every secret in a text, once. */
export function secretsIn(text: string): Secret[] {
  const found = [...text.matchAll(MARK)].map(
    ([whole, owner, service, kind]) => [whole, { text: whole, owner, service, kind } as Secret] as const,
  )
  return [...new Map(found).values()]
}

/** The secrets in what a counterpart received that are not of its world, or not of its service. */
export function foreignSecrets(received: string, world: World, service: string): Secret[] {
  return secretsIn(received).filter((found) => WORLD_OF[found.owner] !== world || found.service !== nameOf(service))
}

/** A request with everything in it that is encoded as base64 decoded as well: HTTP Basic and the parts of a JWT. */
export function withDecoded(text: string): string {
  const parts = text.match(/[\w+/=-]{12,}/g) ?? []
  return [text, decodeURIComponent(text.replaceAll(/%(?![0-9a-f]{2})/gi, '%25')), ...parts.map(decoded)].join('\n')
}

const decoded = (part: string): string => Buffer.from(part, 'base64').toString('latin1')
