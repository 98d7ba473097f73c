import type { Permission } from '../base/consent-request.ts'
import { html } from '../base/html.ts'
import { type Brand, page, problemPage } from '../base/page.ts'
import { first } from '../base/pairs.ts'
import { secret } from '../base/random.ts'
import { type Reply, redirect, withQuery } from '../base/reply.ts'
import type { LabRequest } from '../base/request.ts'
import type { SignIn } from '../base/sign-in.ts'
import type { Verifier } from './verify.ts'

/** An authorize page; a service may have several that grant different permissions. */
export interface AuthorizePage {
  path: string
  permissions: Permission[]
  note?: string
}

interface AuthorizeParts extends Verifier {
  brand: Brand
  signIn: SignIn
}

/** RFC 5849 2.2. */
export function authorizeEndpoint(parts: AuthorizeParts, shown: AuthorizePage, request: LabRequest): Reply {
  const { brand, stores, clock, settings } = parts
  const keys = request.query.filter(([name]) => name === 'oauth_token')
  const token = keys.length === 1 ? stores.requestToken(keys[0]?.[1] ?? '') : undefined
  if (!token || token.verifier !== undefined || token.expiresAtMs <= clock.now())
    return problemPage(
      brand,
      'This link does not work',
      'The request is unknown, expired, or was already answered (oauth_token).',
    )
  const isOob = token.callback === 'oob'
  return parts.signIn.begin(request, {
    clientName: token.client.name,
    returnsTo: isOob ? 'the app yourself' : new URL(token.callback).host,
    permissions: shown.permissions,
    mustLogin: ['true', '1'].includes(first(request.query, 'force_login') ?? ''),
    ...(shown.note === undefined ? {} : { note: shown.note }),
    finish(decision) {
      if (!decision.allowed) {
        stores.removeRequestToken(token)
        return isOob
          ? problemPage(brand, 'Denied', 'Nothing was shared.', 200)
          : redirect(withQuery(token.callback, { denied: token.key }))
      }
      token.person = decision.person
      token.permissions = settings.permissionChoice ? decision.permissions : shown.permissions.map(({ name }) => name)
      token.verifier = isOob ? String(1_000_000 + Math.floor(Math.random() * 9_000_000)) : secret()
      if (isOob) return page(brand, 'Type this number into the app', html`<p class="pin">${token.verifier}</p>`)
      return redirect(withQuery(token.callback, { oauth_token: token.key, oauth_verifier: token.verifier }))
    },
  })
}
