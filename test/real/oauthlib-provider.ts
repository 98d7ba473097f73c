import { execFile, spawn } from 'node:child_process'
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { walkPages } from './page-walker.ts'

// Debian's oauthlib belongs to Debian's Python, even when another Python is first in PATH.
const python = '/usr/bin/python3'
const program = fileURLToPath(new URL('oauthlib_provider.py', import.meta.url))

export interface RunningOauthlibProvider {
  url: string
  requestTokenUrl: string
  authorizeUrl: string
  accessTokenUrl: string
  meUrl: string
  itemsUrl: string
  echoUrl: string
  consumerKey: string
  consumerSecret: string
  /** The consumer's private key (PEM), for RSA-SHA1. */
  rsaPrivateKey: string
  /** Approves or denies on the service's page; returns the address to which the person is redirected. */
  login(authorizeUrl: string, person?: { deny?: boolean; user?: string }): Promise<string>
  /** Revokes an access token, as a person does in the service's settings; false when it was unknown. */
  revoke(accessToken: string): Promise<boolean>
  close(): Promise<void>
}

/** Why the service cannot be started, as a test's `skip` option; false when it can. */
export async function oauthlibMissing(): Promise<string | false> {
  try {
    await promisify(execFile)(python, ['-c', 'import oauthlib.oauth1, jwt, cryptography'])
    return false
  } catch {
    return 'the Debian package python3-oauthlib is not installed'
  }
}

/** A strict OAuth 1.0a service with HMAC-SHA1, HMAC-SHA256 and RSA-SHA1, judged by Python's oauthlib. */
export async function startOauthlibProvider({
  callbacks,
}: {
  /** Or as they depend on the service's address. */
  callbacks: string[] | ((url: string) => string[])
}): Promise<RunningOauthlibProvider> {
  const consumerKey = randomBytes(12).toString('hex')
  const consumerSecret = randomBytes(24).toString('hex')
  const rsa = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  const settings = { consumerKey, consumerSecret, rsaPublicKey: rsa.publicKey }
  const child = spawn(python, [program, JSON.stringify(settings)], { stdio: ['pipe', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const nextLine = async <Line>(): Promise<Line> => {
    const { value, done } = await lines.next()
    if (done === true) throw new Error('the OAuth 1 service ended without a response')
    return JSON.parse(value) as Line
  }
  const { port } = await nextLine<{ port: number }>()
  const url = `http://127.0.0.1:${port}`
  child.stdin.write(`${JSON.stringify({ callbacks: typeof callbacks === 'function' ? callbacks(url) : callbacks })}\n`)
  await nextLine()

  return {
    url,
    requestTokenUrl: `${url}/oauth/request_token`,
    authorizeUrl: `${url}/oauth/authorize`,
    accessTokenUrl: `${url}/oauth/access_token`,
    meUrl: `${url}/me`,
    itemsUrl: `${url}/items`,
    echoUrl: `${url}/echo`,
    consumerKey,
    consumerSecret,
    rsaPrivateKey: rsa.privateKey,
    login: (address, { deny = false, user = 'alice' } = {}) => decideOverHttp(address, deny, user),
    async revoke(accessToken) {
      child.stdin.write(`${JSON.stringify({ revoke: accessToken })}\n`)
      const { revoked } = await nextLine<{ revoked: boolean }>()
      return revoked
    },
    async close() {
      child.stdin.end()
      await exited
    },
  }
}

async function decideOverHttp(address: string, deny: boolean, user: string): Promise<string> {
  const walker = walkPages()
  const page = await walker.visit(address)
  const token = /name="oauth_token" value="([^"]+)"/.exec(page.body)?.[1]
  const action = /action="([^"]+)"/.exec(page.body)?.[1]
  if (page.status !== 200 || token === undefined || action === undefined) {
    throw new Error(`the OAuth 1 service returned ${page.status}: ${page.body.slice(0, 300)}`)
  }
  const form = { oauth_token: token, person: user, decision: deny ? 'deny' : 'approve' }
  const decided = await walker.visit(new URL(action, address).href, { form })
  if (decided.location === undefined) throw new Error(`the OAuth 1 service returned ${decided.status}`)
  return decided.location
}
