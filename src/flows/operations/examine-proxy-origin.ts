import { randomUUID } from 'node:crypto'
import { lookup } from 'node:dns/promises'
import type { Config } from '#config/config.ts'
import { originAt, patternOf } from '#config/proxy-origin.ts'
import { codeOf } from '#platform/errors.ts'
import type { Diagnosis } from './diagnosis.ts'

/** Not the name of a service, so that every name below the pattern has to lead here. */
const PROBE = 'tributary-doctor'
const TIMEOUT_MS = 5000
const NAME = 'proxy origin'

/** Calls the origin of a service as an SDK would: its name has to resolve, and the reverse proxy has to pass the host on. */
export async function examineProxyOrigin(config: Pick<Config, 'baseUrl' | 'proxyOrigin'>): Promise<Diagnosis> {
  const pattern = patternOf(config)
  if (pattern === undefined)
    return { name: NAME, state: 'ok', detail: `none; services are below ${config.baseUrl}/proxy` }
  const url = originAt(pattern, PROBE)
  const { hostname } = new URL(url)
  const isHere = config.proxyOrigin === undefined
  const unresolved = await lookup(hostname).then(
    () => undefined,
    (error: unknown) => codeOf(error) ?? 'no address',
  )
  if (unresolved !== undefined) {
    const ports = 'give services ports in TRIBUTARY_PROXY_PORTS'
    const detail = `${hostname} does not resolve (${unresolved})`
    // Programs that resolve names below localhost themselves, such as browsers, do not need it.
    if (isHere) return { name: NAME, state: 'ok', detail: `${detail}; where a program needs it, ${ports}` }
    const wildcard = hostname.replace(PROBE, '*')
    return { name: NAME, state: 'warn', detail, help: `Add a DNS record for ${wildcard}, or ${ports}.` }
  }
  return isHere ? { name: NAME, state: 'ok', detail: pattern } : probe(pattern, url)
}

async function probe(pattern: string, url: string): Promise<Diagnosis> {
  const id = randomUUID()
  try {
    const response = await fetch(`${url}/`, {
      headers: { 'x-request-id': id, accept: 'application/json' },
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const body = await response.text()
    // Only the origin of a service refuses this path for want of a token, and repeats the id.
    if (response.status === 401 && body.includes('"token_missing"') && body.includes(id))
      return { name: NAME, state: 'ok', detail: pattern }
    return {
      name: NAME,
      state: 'warn',
      detail: `${url} leads elsewhere (status ${response.status})`,
      help: 'The reverse proxy must send these hosts here and pass Host on unchanged: docs/operating.md, “Origins of services”.',
    }
  } catch (error) {
    const code = codeOf((error as Error).cause) ?? codeOf(error) ?? (error as Error).name
    const isCertificate = /CERT|SELF_SIGNED|TLS|SSL|UNABLE_TO/.test(code)
    const help = isCertificate
      ? `Its certificate must be valid for ${new URL(url).hostname.replace(PROBE, '*')}.`
      : 'This is fine while the service or its reverse proxy is stopped, or if they are not reached from here.'
    return { name: NAME, state: 'warn', detail: `${url} cannot be called (${code})`, help }
  }
}
