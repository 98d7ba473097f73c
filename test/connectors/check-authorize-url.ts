import assert from 'node:assert/strict'
import type { Variation } from '#kit/auth/auth.ts'
import type { Connector } from '#kit/connector/connector.ts'
import { beginSignIn } from '#upstream/sign-in.ts'
import { openUpstream } from '../harness/upstream.ts'

const CALLBACK = 'https://app.test/auth/callback?a=1&b=ü'
const STATE = 'st-1 +/='

/**
 * Compares the authorization URL character by character: for a plain sign-in, for each flag, and for a forced login.
 */
export async function checkAuthorizeUrl(connector: Connector): Promise<void> {
  const { auth } = connector
  assert.ok(auth.kind === 'oauth2' && !auth.discover)
  const opened = openUpstream()
  const { upstream } = opened
  const key = { key: 'app key&1', secret: 'secret', overrides: {} }
  const variations: { wish: { flag?: string; forceLogin?: boolean }; varied: Variation | undefined }[] = [
    { wish: {}, varied: undefined },
    { wish: { forceLogin: true }, varied: auth.forceLogin },
    ...Object.entries(auth.flags).map(([flag, varied]) => ({ wish: { flag }, varied })),
  ]
  try {
    for (const { wish, varied } of variations) {
      const { url } = await beginSignIn(upstream, { connector, key, callbackUrl: CALLBACK, state: STATE, ...wish })
      const scope: string[] = [...new Set([...auth.scope.default, ...(varied?.scope ?? [])])]
      const { origin, pathname, searchParams } = new URL(url)
      const page = new URL(varied?.authorizeUrl ?? auth.authorizeUrl)
      assert.equal(`${origin}${pathname}`, `${page.origin}${page.pathname}`)
      const { code_challenge: challenge, ...sent } = Object.fromEntries(searchParams)
      assert.equal(challenge !== undefined, auth.pkce, 'a challenge where the service knows PKCE')
      if (challenge !== undefined) assert.match(challenge, /^[\w-]{43}$/)
      assert.deepEqual(sent, {
        ...Object.fromEntries(page.searchParams),
        response_type: 'code',
        [auth.names.client_id ?? 'client_id']: key.key,
        [auth.names.redirect_uri ?? 'redirect_uri']: CALLBACK,
        state: STATE,
        ...(scope.length > 0 ? { [auth.scope.name]: scope.join(auth.scope.separator) } : {}),
        ...(auth.pkce ? { code_challenge_method: 'S256' } : {}),
        ...filled(auth.parameters.authorize, key.key),
        ...varied?.parameters,
      })
    }
  } finally {
    await opened.close()
  }
}

function filled(parameters: Record<string, string> | undefined, key: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(parameters ?? {})
      // The app has no settings, so parameters with one are not sent.
      .filter(([, value]) => !value.includes('{setting.'))
      .map(([name, value]) => [name, value.replaceAll('{key}', key)]),
  )
}
