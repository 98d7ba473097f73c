import { createHash, createPrivateKey, generateKeyPairSync, randomBytes, sign } from 'node:crypto'

/** A minimal OAuth client with DPoP (RFC 9449), enough to check what the Bluesky server accepts and refuses. */
export interface DpopClient {
  clientId: string
  verifier: string
  challenge: string
  proof(claims: { method: string; url: string; nonce?: string; accessToken?: string }): string
}

const base64url = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const sha256 = (text: string) => createHash('sha256').update(text).digest('base64url')

export function dpopClient(redirectUri: string, scope: string): DpopClient {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { kty, crv, x, y } = publicKey.export({ format: 'jwk' })
  const key = createPrivateKey(privateKey.export({ type: 'pkcs8', format: 'pem' }))
  const verifier = randomBytes(32).toString('base64url')
  return {
    // A client without a public address identifies itself by its loopback redirect address and scope.
    clientId: `http://localhost?${new URLSearchParams({ redirect_uri: redirectUri, scope }).toString()}`,
    verifier,
    challenge: sha256(verifier),
    proof({ method, url, nonce, accessToken }) {
      const header = { typ: 'dpop+jwt', alg: 'ES256', jwk: { kty, crv, x, y } }
      const payload = {
        jti: randomBytes(12).toString('hex'),
        htm: method,
        htu: url,
        iat: Math.floor(Date.now() / 1000),
        ...(nonce === undefined ? {} : { nonce }),
        ...(accessToken === undefined ? {} : { ath: sha256(accessToken) }),
      }
      const text = `${base64url(header)}.${base64url(payload)}`
      const signature = sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')
      return `${text}.${signature}`
    },
  }
}

export interface DpopAnswer {
  status: number
  nonce: string | undefined
  body: Record<string, string>
}

export async function postForm(url: string, form: Record<string, string>, proof?: string): Promise<DpopAnswer> {
  const headers = { connection: 'close', ...(proof === undefined ? {} : { dpop: proof }) }
  const response = await fetch(url, { method: 'POST', headers, body: new URLSearchParams(form) })
  const body = (await response.json()) as Record<string, string>
  return { status: response.status, nonce: response.headers.get('dpop-nonce') ?? undefined, body }
}
