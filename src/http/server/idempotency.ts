import { createHash } from 'node:crypto'
import { beginRequest, type Caller, type Execution } from '#flows/requests/idempotency.ts'
import type { Account } from '#model/accounts/account.ts'
import type { App } from '#model/apps/app.ts'
import type { Operator } from '#model/apps/operator.ts'
import type { HttpReply } from '../exchange/reply.ts'
import type { HttpRequest } from '../exchange/request.ts'
import { withoutNames } from '../request/query-pairs.ts'
import type { HttpDeps } from './deps.ts'
import type { Route } from './route.ts'

const HEADER = 'idempotency-key'
/** Headers that a repeated response has again. The others describe the connection or the request at hand. */
const KEPT_HEADERS = ['content-type', 'location', 'link', 'www-authenticate']
/** A token is how the caller is known, not what is requested. */
const CREDENTIALS = new Set(['access_token'])

const bodies = new WeakMap<HttpRequest, string>()
const executions = new WeakMap<HttpRequest, Execution>()

/** Remembers a body before it is parsed, so that a repetition can be compared with it. */
export function rememberBody(request: HttpRequest, body: string): void {
  if (request.headers[HEADER] === undefined) return
  bodies.set(request, createHash('sha256').update(body).digest('hex'))
}

/**
 * Runs a route once for each `Idempotency-Key` of a caller. Called after the caller was authenticated and the request was found
 * valid. The response is kept when it is sent (`keepSent`), errors included.
 */
export async function runOnce(
  deps: HttpDeps,
  route: Route,
  { request, reply }: { request: HttpRequest; reply: HttpReply },
  caller: () => Promise<Caller>,
  run: () => Promise<unknown>,
): Promise<unknown> {
  const key = request.headers[HEADER]
  if (key === undefined || route.idempotencyKey === undefined) return run()
  const queryStart = request.url.indexOf('?')
  const path = queryStart < 0 ? request.url : request.url.slice(0, queryStart)
  const query = queryStart < 0 ? '' : request.url.slice(queryStart + 1)
  const begun = await beginRequest(deps, {
    caller: await caller(),
    route: `${request.method} ${request.route.url}`,
    key: String(key),
    content: [request.method, path, withoutNames(query, CREDENTIALS), bodies.get(request) ?? ''],
  })
  if ('status' in begun)
    return reply
      .code(begun.status)
      .headers({ ...begun.headers, 'idempotency-replayed': 'true' })
      .send(begun.body)
  executions.set(request, begun)
  return run()
}

/** Hook of routes that take the header: keeps the response before the caller gets it. */
export async function keepSent(request: HttpRequest, reply: HttpReply, content: unknown): Promise<void> {
  const execution = executions.get(request)
  if (execution === undefined) return
  executions.delete(request)
  const headers: Record<string, string> = {}
  for (const name of KEPT_HEADERS) {
    const value = reply.getHeader(name)
    if (value !== undefined) headers[name] = String(value)
  }
  if (typeof content === 'string') await execution.finish({ status: reply.statusCode, headers, body: content })
  else await execution.abandon()
}

export function appCaller({ id }: Pick<App, 'id'>, operator?: Operator): Caller {
  return { name: named(`app:${id}`, operator), appId: id }
}

export function accountCaller({ id, appId }: Pick<Account, 'id' | 'appId'>, operator?: Operator): Caller {
  return { name: named(`account:${id}`, operator), appId }
}

/** The keys of an operator who acts for an app are not those of the app. */
function named(name: string, operator: Operator | undefined): string {
  return operator === undefined ? name : `${operator.actor} ${name}`
}

export function operatorCaller({ actor }: Operator): Caller {
  return { name: actor }
}

/** For routes that take no key of the caller. */
export const ANYONE: Caller = { name: 'anyone' }
