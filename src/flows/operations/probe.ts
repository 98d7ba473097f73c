import type { Connector } from '#kit/connector/connector.ts'
import type { Registry } from '#kit/connector/registry.ts'
import { placeholdersIn } from '#kit/endpoints/placeholders.ts'
import type { Clock } from '#platform/clock.ts'
import { fillConnector } from '#upstream/fill-connector.ts'
import { UpstreamError } from '#upstream/request/errors.ts'
import type { Upstream, UpstreamResponse } from '#upstream/request/send.ts'

/** What the page of a service answered to an app that it cannot know. */
export interface ProbeFinding {
  service: string
  /** When it was asked, as a date. */
  at: string
  /** Without parameters; undefined where it cannot be asked. */
  address?: string
  status?: number
  /**
   * `refused`: it does not know the app, as it should. `page`: it shows a page, such as a login. `moved`: it leads elsewhere. `missing`:
   * there is nothing. `failed`, `unreachable`: it does not answer. `accepted`: it sent the browser back to an app that it cannot know.
   * `skipped`: nobody can be asked, because the address is that of a person.
   */
  result: 'refused' | 'page' | 'moved' | 'missing' | 'failed' | 'unreachable' | 'accepted' | 'skipped'
  /** The error that it named (RFC 6749 4.1.2.1), why it was not reached, or where it leads. */
  detail?: string
}

interface ProbeDeps {
  upstream: Upstream
  clock: Clock
  registry: Pick<Registry, 'find'>
}

/** No app has this key, and nothing listens at the redirect address: the name is reserved (RFC 6761). */
const KEY = 'tributary-probe'
const BACK = 'https://tributary-probe.invalid/callback'
/** Limit: bytes of a page that are read; a longer one counts as unreachable. */
const MAX_BYTES = 2 * 1024 * 1024
/** Limit: milliseconds for one page; a slower one counts as unreachable. */
const MAX_CALL_MS = 15_000

/** Asks the sign-in page of each service with a key that no app has. Nothing secret is sent, and no redirect is followed. */
export async function probeServices(
  deps: ProbeDeps,
  services: readonly string[],
  parallel: number,
  found: (finding: ProbeFinding) => void = () => {},
): Promise<ProbeFinding[]> {
  const findings: ProbeFinding[] = []
  const waiting = [...services]
  const work = async () => {
    for (let service = waiting.shift(); service !== undefined; service = waiting.shift()) {
      const finding = await probe(deps, service)
      findings.push(finding)
      found(finding)
    }
  }
  await Promise.all(Array.from({ length: Math.min(parallel, services.length) }, work))
  return findings.toSorted((a, b) => (a.service < b.service ? -1 : 1))
}

async function probe(deps: ProbeDeps, service: string): Promise<ProbeFinding> {
  const connector = deps.registry.find(service)
  const at = new Date(deps.clock.now()).toISOString()
  const page = connector && pageOf(connector)
  if (page === undefined) return { service, at, result: 'skipped' }
  const address = page.origin + page.pathname
  try {
    const request = { method: 'GET', url: page.href, headers: { accept: 'text/html,*/*;q=0.5' } }
    const bounds = { timeoutMs: MAX_CALL_MS, maxBytes: MAX_BYTES }
    const response = await deps.upstream.send({ ...request, ...bounds, trust: 'operator' })
    return { service, at, address, status: response.status, ...judged(page, response) }
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error
    return { service, at, address, result: 'unreachable', detail: error.reason }
  }
}

/** Undefined where there is no page, or where it is on a server that a person names. */
function pageOf(connector: Connector): URL | undefined {
  const { ask = {} } = connector
  // What a person would type is somebody's; a region is everybody's.
  const answers = Object.entries(ask).flatMap(([name, { of, default: left, example }]) =>
    of === undefined ? [] : [[name, left ?? example] as const],
  )
  const { auth } = fillConnector(connector, Object.fromEntries(answers))
  if (auth.kind !== 'oauth2' || auth.authorizeUrl === '' || placeholdersIn(auth.authorizeUrl).length > 0)
    return undefined
  const url = URL.parse(auth.authorizeUrl)
  if (url === null) return undefined
  const scope = auth.scope.default.join(auth.scope.separator)
  const parameters = {
    response_type: 'code',
    [auth.names.client_id ?? 'client_id']: KEY,
    redirect_uri: BACK,
    state: KEY,
  }
  for (const [name, value] of Object.entries(scope === '' ? parameters : { ...parameters, [auth.scope.name]: scope }))
    url.searchParams.set(name, value)
  return url
}

function judged(page: URL, { status, headers, text }: UpstreamResponse): Pick<ProbeFinding, 'result' | 'detail'> {
  const target = status >= 300 && status < 400 ? URL.parse(headers['location'] ?? '', page.href) : null
  const error = errorIn(target?.searchParams.get('error') ?? text)
  const named = error === undefined ? {} : { detail: error }
  if (target !== null && target.href.startsWith(BACK))
    return error === undefined ? { result: 'accepted' } : { result: 'refused', ...named }
  if (target !== null)
    return target.origin === page.origin ? { result: 'page', ...named } : { result: 'moved', detail: target.origin }
  if (status === 404 || status === 410) return { result: 'missing', ...named }
  if (status >= 500) return { result: 'failed' }
  return { result: status >= 400 || error !== undefined ? 'refused' : 'page', ...named }
}

/** The code of an error, alone or in JSON; never the text of a page. */
function errorIn(text: string): string | undefined {
  const [, code] =
    /^([a-z_]{3,40})$|"error"\s*:\s*"([a-z_ ]{3,60})"/i.exec(text)?.filter((each) => each !== undefined) ?? []
  return code
}
