import type { Credential } from '#kit/auth/auth.ts'
import type { AppPassword, TypedValues } from '#kit/auth/typed.ts'
import { isServerFormat } from '#kit/auth/typed-values.ts'
import type { Connector } from '#kit/connector/connector.ts'
import { trimEndOf } from '#platform/formats/trim-end.ts'
import { locateService } from '../addresses/addresses.ts'
import type { CallbackParameters } from '../callback-parameters.ts'
import { withParameters } from '../oauth2/token-request.ts'
import { UpstreamError } from '../request/errors.ts'
import { fillParameters } from '../request/fill-placeholders.ts'
import { parseObject } from '../request/parse-object.ts'
import type { Upstream } from '../request/send.ts'
import type { ServiceKey } from '../request/service-key.ts'

/** Limit: bytes of the document that names a server's page for app passwords; a longer one fails the sign-in. */
const MAX_DOCUMENT_BYTES = 4 * 1024 * 1024

export interface BeginAppPassword {
  connector: Connector
  auth: AppPassword
  key: ServiceKey
  values: TypedValues
  /** With the `state` in it. */
  callbackUrl: string
  appName: string
}

/** Returns the address of the server's page. Only the browser goes there, and only to the server that the person named. */
export async function beginAppPassword(upstream: Upstream, input: BeginAppPassword): Promise<string> {
  const { connector, auth, key, callbackUrl, appName } = input
  const { relocate, addresses, trustOf } = await locateService(upstream, { connector, key, instance: input.values })
  const reply = await upstream.send({
    method: 'GET',
    url: relocate(auth.discoverUrl, 'authorizeUrl'),
    trust: trustOf(auth.discoverUrl),
    maxBytes: MAX_DOCUMENT_BYTES,
  })
  const document = reply.status === 200 ? parseObject(reply.text) : undefined
  const page = document && URL.parse(readPage(auth, document) ?? '')
  if (!page || page.origin !== new URL(addresses.apiUrl).origin)
    throw new UpstreamError(reply.status >= 500 ? 'retry' : 'stop', 'The server has no page for app passwords', {
      reason: reply.status >= 500 ? 'service_failed' : 'discovery_failed',
      status: reply.status,
    })
  const reject = withParameters(callbackUrl, { error: 'access_denied' })
  const unique = `${new Date(upstream.clock.now()).toISOString().slice(0, 10)} ${upstream.random(3).toString('hex')}`
  const values = { app: appName, callback: callbackUrl, reject, unique }
  return withParameters(page.href, fillParameters(auth.parameters, values))
}

function readPage(auth: AppPassword, document: unknown): string | undefined {
  try {
    return auth.authorizeUrl(document)
  } catch (error) {
    throw new UpstreamError('stop', 'The server’s document could not be read', {
      reason: 'discovery_failed',
      cause: error,
    })
  }
}

/** Reads name and password from the redirect back, if they are of the server that the person named. */
export function finishAppPassword(auth: AppPassword, values: TypedValues, parameters: CallbackParameters): Credential {
  if (parameters.get('error') !== undefined)
    throw new UpstreamError('stop', 'The person declined', { reason: 'access_denied' })
  const [name, password] = [parameters.get(auth.names.name), parameters.get(auth.names.password)]
  if (name === undefined || password === undefined)
    throw new UpstreamError('stop', 'The redirect contains no password', { reason: 'code_missing' })
  if (!isNamedServer(auth, values, parameters.get(auth.names.server)))
    throw new UpstreamError('stop', 'The password is of another server than the person named', {
      reason: 'issuer_mismatch',
    })
  return { token: name, tokenSecret: password, instance: values }
}

/** The same host and port, and the same path or one below it: a site may be installed below its own address. */
function isNamedServer({ fields }: AppPassword, values: TypedValues, server: string | undefined): boolean {
  const from = URL.parse(server ?? '')
  const field = Object.keys(fields).find((name) => isServerFormat(fields[name]?.format))
  const typed = values[field ?? ''] ?? ''
  const named = URL.parse(typed.includes('://') ? typed : `https://${typed}`)
  if (from === null || named === null || from.hostname !== named.hostname) return false
  const [path, below] = [named.pathname, from.pathname].map((each) => `${trimEndOf(each, '/')}/`)
  return portOf(from) === portOf(named) && below!.startsWith(path!)
}

/** A site behind a proxy may call itself by http: both are on the port of the web. */
const portOf = ({ port }: URL): string => (['', '80', '443'].includes(port) ? '' : port)
