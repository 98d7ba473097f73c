import type { AddressInfo } from 'node:net'
import { nodeHttp } from '../base/node-http.ts'
import { type CallIn, type Reply, refused } from './call.ts'
import { LAB_KEY, type LabEntry, mayBeAbsent, pathOf, setAt } from './entry.ts'
import { createOAuth1 } from './oauth1.ts'
import { createOAuth2, type SignInPart } from './oauth2.ts'
import { presentPerson } from './person.ts'
import { createTenants, type LabTenant } from './tenants.ts'
import { createTyped } from './typed.ts'

/** A server that plays every entry of the catalogue with its quirks, each below a path of its own. */
export interface CatalogueLab {
  /** The address at which a service is played. */
  urlOf(service: string): string
  /** What the person has at a service with tenants. */
  holdTenants(service: string, tenants: LabTenant[]): void
  /** Ends the lifetime of every access token of a service. */
  expire(service: string): void
  /** How many access tokens of a service are neither expired nor revoked. */
  living(service: string): number
  close(): Promise<void>
}

interface Played {
  entry: LabEntry
  signIn: SignInPart | undefined
  tenants: ReturnType<typeof createTenants> | undefined
  isAuthorized: (call: CallIn) => boolean
  exchange: ((call: CallIn) => Reply | undefined) | undefined
}

/** Starts it on a free port of this machine. */
export async function startCatalogueLab(entries: Readonly<Record<string, LabEntry>>): Promise<CatalogueLab> {
  const services = new Map(Object.entries(entries).map(([name, entry]) => [name, play(entry)]))
  const server = nodeHttp.createServer((request, response) => {
    let text = ''
    request.setEncoding('utf8')
    request.on('data', (part: string) => {
      text += part
    })
    request.on('end', () => {
      const url = new URL(request.url ?? '/', 'http://lab')
      const [, service = '', ...rest] = url.pathname.split('/')
      const path = `/${rest.join('/')}`.replace(/\/$/, '')
      const headers = request.headers as Record<string, string | undefined>
      const call = {
        method: request.method ?? 'GET',
        path,
        query: url.searchParams,
        headers,
        text,
        sent: request.url ?? '/',
      }
      const { status, headers: sent = {}, body, form } = answer(services.get(decodeURIComponent(service)), call)
      const type = form === undefined ? 'application/json' : 'application/x-www-form-urlencoded'
      response.writeHead(status, { 'content-type': type, ...sent })
      response.end(form ? new URLSearchParams(form).toString() : body === undefined ? '' : JSON.stringify(body))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    urlOf: (service) => `http://127.0.0.1:${port}/${service}`,
    holdTenants: (service, tenants) => services.get(service)?.tenants?.hold(tenants),
    expire: (service) => services.get(service)?.signIn?.expire(),
    living: (service) => services.get(service)?.signIn?.living() ?? 0,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function play(entry: LabEntry): Played {
  const { oauth1, oauth2 } = entry.auth
  if (oauth1 !== undefined) {
    const part = createOAuth1(entry, oauth1)
    return { entry, signIn: part, tenants: undefined, isAuthorized: part.isAuthorized, exchange: undefined }
  }
  if (oauth2 !== undefined) {
    const part = createOAuth2(entry, oauth2)
    const tenants = oauth2.tenants && createTenants(entry, oauth2.tenants)
    return { entry, signIn: part, tenants, isAuthorized: part.isAuthorized, exchange: undefined }
  }
  const { isAuthorized, exchange } = createTyped(entry)
  return { entry, signIn: undefined, tenants: undefined, isAuthorized, exchange }
}

function answer(played: Played | undefined, sent: CallIn): Reply {
  if (played === undefined) return refused(404, 'no such service')
  const { entry, signIn, tenants, isAuthorized, exchange } = played
  if (tenants !== undefined && sent.path === tenants.path && sent.method === 'GET' && !isSelfToo(entry, tenants.path))
    return isAuthorized(sent) ? tenants.list() : refused(401, 'the credential is not accepted')
  const call = tenants?.unnumbered(sent) ?? sent
  if ('status' in call) return call
  const begun = signIn?.answer(call) ?? exchange?.(call)
  if (begun !== undefined) return begun
  const base = pathOf(entry, entry.api.base)
  const isElsewhere = entry.self.get?.startsWith('https://') === true && call.path === pathOf(entry, entry.self.get)
  if (!isElsewhere && !call.path.startsWith(base)) return refused(404, 'not below the API')
  if (!isAuthorized(call)) return refusal(entry)
  if (isElsewhere && tenants !== undefined && call.path === tenants.path)
    return both(presentPerson(entry, base, call), tenants.list())
  const wrong = wrongAddition(entry, call)
  if (wrong !== undefined) return refused(400, `${wrong} is missing`)
  return presentPerson(entry, base, call) ?? { status: 200, body: { path: call.path.slice(base.length) } }
}

/** Whether one document names the person and lists their tenants. */
const isSelfToo = (entry: LabEntry, path: string): boolean =>
  entry.self.get?.startsWith('https://') === true && pathOf(entry, entry.self.get) === path

const both = (one: Reply | undefined, other: Reply): Reply => ({
  status: 200,
  body: { ...(one?.body as object | undefined), ...(other.body as object) },
})

/** As the service refuses a credential: some with status 200 and a code in the body. */
function refusal({ api }: LabEntry): Reply {
  const rule = api.failed?.find(({ means }) => means === 'reauthorize')
  if (rule === undefined) return refused(401, 'the credential is not accepted')
  const body = {}
  if (rule.at !== undefined) setAt(body, rule.at, rule.is?.[0])
  return { status: rule.status ?? 200, body }
}

/** A header or parameter that every call of the service needs. */
function wrongAddition(entry: LabEntry, call: CallIn): string | undefined {
  const { api, ask } = entry
  const fill = (text: string) =>
    text.replaceAll(/\{(\w+)(?:\.(\w+))?\}/g, (_, kind: string, name: string) =>
      kind === 'key' ? LAB_KEY : kind === 'ask' ? (ask?.[name]?.example ?? '') : `${kind}-${name}`,
    )
  const isWrong = (text: string, given: string | null | undefined) =>
    (given ?? undefined) !== fill(text) && !((given ?? undefined) === undefined && mayBeAbsent(entry, text))
  const header = Object.entries(api.headers ?? {}).find(([name, text]) =>
    isWrong(text, call.headers[name.toLowerCase()]),
  )
  const parameter = Object.entries(api.query ?? {}).find(([name, text]) => isWrong(text, call.query.get(name)))
  return header?.[0] ?? parameter?.[0]
}
