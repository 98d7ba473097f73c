import type { ServiceClock } from '../base/clock.ts'
import type { Person } from '../base/people.ts'
import type { Kept } from '../base/service-parts.ts'
import type { Clients } from './clients.ts'
import type { Grant, Grants, Token } from './grants.ts'

const dayMs = 86_400_000

interface SavedGrant {
  client: string
  person: string
  scopes: string[]
  tokens: (Pick<Token, 'value' | 'kind' | 'scopes' | 'issuedAtMs' | 'used'> & {
    /** Absent for a token that never expires: JSON has no infinity. */
    expiresAtMs?: number
  })[]
}

/** Grants with their tokens. Codes are not among them: they are valid for a minute, and the app starts again. */
export function keptGrants(grants: Grants, clients: Clients, people: readonly Person[], clock: ServiceClock): Kept {
  /** Revoked, expired and long used tokens are refused like unknown ones. */
  const isWorthKeeping = (token: Token) =>
    !token.grant.revoked && (token.used ? token.issuedAtMs > clock.now() - dayMs : token.expiresAtMs > clock.now())
  return {
    save: () =>
      [...Map.groupBy(grants.tokens().filter(isWorthKeeping), ({ grant }) => grant)].map(
        ([{ client, person, scopes }, tokens]): SavedGrant => ({
          client: client.key,
          person: person.username,
          scopes,
          tokens: tokens.map(({ value, kind, scopes: own, issuedAtMs, expiresAtMs, used }) => ({
            value,
            kind,
            scopes: own,
            issuedAtMs,
            used,
            ...(Number.isFinite(expiresAtMs) ? { expiresAtMs } : {}),
          })),
        }),
      ),
    load(saved) {
      for (const { tokens, ...one } of saved as SavedGrant[]) {
        const client = clients.find(one.client)
        const person = people.find(({ username }) => username === one.person)
        if (!client || !person) continue
        const grant: Grant = { client, person, scopes: one.scopes, revoked: false }
        for (const token of tokens) grants.restore({ expiresAtMs: Number.POSITIVE_INFINITY, ...token, grant })
      }
    },
  }
}
