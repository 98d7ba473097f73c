import { createHash } from 'node:crypto'
import { first } from '../../base/pairs.ts'
import type { Person } from '../../base/people.ts'
import type { RateLimit } from '../../base/rate-limit.ts'
import { json, Refusal, type Reply } from '../../base/reply.ts'
import type { LabRequest } from '../../base/request.ts'
import type { Handler, Routes } from '../../base/router.ts'
import type { ServiceContext } from '../../base/service-parts.ts'
import type { GraphCaller } from '../../graph/caller.ts'
import { parseFields } from '../../graph/field-list.ts'
import { graphError, noSuchObject, unknownPath } from '../../graph/graph-error.ts'
import { type GraphNode, isEdge } from '../../graph/node.ts'
import { type LinkBase, projectEdge, projectNode } from '../../graph/project.ts'
import { countCall, withHeaders } from '../../graph/usage.ts'
import { currentVersion, versionedPath } from '../../graph/version.ts'
import type { FacebookData } from './data.ts'
import { nodeOf, userEdges } from './edges.ts'
import { personNode, type View } from './node-kit.ts'
import { meNode } from './other-nodes.ts'
import { listPermissions, revokePermissions } from './permissions.ts'
import type { FacebookSettings } from './settings.ts'

interface ApiParts {
  context: ServiceContext
  data: FacebookData
  people: readonly Person[]
  settings: FacebookSettings
  rateLimit: RateLimit
  usersOf(clientKey: string): string[]
  guard(request: LabRequest): GraphCaller
  /** Routes without a user token: login window, token endpoint, debug_token. */
  open: Readonly<Record<string, (request: LabRequest) => Reply | Promise<Reply>>>
}

/** Every Graph API path may begin with a version; the default is the current version. */
export function graphRoutes(parts: ApiParts): Routes {
  const serve: Handler = async (request) => {
    const [version, segments] = versionedPath(request.path)
    const open = parts.open[`${request.method} ${segments.join('/')}`]
    if (open) return open(request)
    const caller = parts.guard(request)
    const headers = counted(parts, caller)
    try {
      return withHeaders(conditional(request, handleCall(parts, request, caller, segments, version)), headers)
    } catch (error) {
      if (error instanceof Refusal) throw new Refusal(withHeaders(error.reply, headers))
      throw error
    }
  }
  const patterns = ['/', '/:a', '/:a/:b', '/:a/:b/:c', '/:a/:b/:c/:d']
  return Object.fromEntries(
    ['GET', 'POST', 'DELETE'].flatMap((method) => patterns.map((pattern) => [`${method} ${pattern}`, serve])),
  )
}

function counted({ rateLimit }: ApiParts, { grant }: GraphCaller): Record<string, string> {
  const { percent, waitSeconds } = countCall(rateLimit, grant.clientKey)
  const usage = { call_count: percent, total_time: Math.ceil(percent / 2), total_cputime: Math.ceil(percent / 3) }
  const headers = { 'x-app-usage': JSON.stringify(usage) }
  if (waitSeconds === 0) return headers
  const { reply } = graphError('(#4) Application request limit reached', { status: 403, code: 4, transient: true })
  throw new Refusal(withHeaders(reply, headers))
}

function handleCall(parts: ApiParts, request: LabRequest, caller: GraphCaller, path: string[], version: string): Reply {
  const { data, people, context } = parts
  const [id = '', edgeName, more] = path
  const isMe = id === 'me' || id === caller.person.id
  const method = request.method.toLowerCase()
  if (isMe && edgeName === 'permissions' && request.method === 'DELETE') return revokePermissions(caller, more)
  if (request.method !== 'GET') throw noSuchObject(id, method)
  if (isMe && edgeName === 'permissions') return listPermissions(caller)

  const users = parts.usersOf(caller.grant.clientKey)
  const view: View = {
    url: context.url(),
    data,
    isNamed: (one) => one.id === caller.person.id || data.usesApps(one.id) || users.includes(one.username),
  }
  const base: LinkBase = { apiUrl: `${context.url()}/${version}`, token: caller.token }
  const args = Object.fromEntries(request.query)
  const fields = first(request.query, 'fields')
  const requested = fields === undefined || fields === '' ? undefined : parseFields(fields)
  const edges = userEdges(parts, view, caller)
  const nodeFor = (one: string): GraphNode | undefined => {
    if (one === 'me' || one === caller.person.id)
      return meNode(
        view,
        caller.person,
        (permission) => caller.grant.granted.has(permission),
        Object.fromEntries(Object.entries(edges).map(([name, read]) => [name, () => read({})])),
      )
    const found = data.find(one)
    const owner = found && people.find(({ username }) => username === found.owner)
    if (found && owner?.id === caller.person.id) return nodeOf(view, owner, found.kind, found.item)
    const friend = data.friendsOf(caller.person.username).find((other) => other.id === one)
    return friend && view.isNamed(friend) ? personNode(view, friend) : undefined
  }

  if (id === '')
    return json(
      200,
      manyNodes(
        request,
        (one) => nodeFor(one),
        (node) => projectNode(node, requested, base),
      ),
    )
  const node = nodeFor(id)
  if (!node) throw noSuchObject(id)
  if (edgeName === undefined) return json(200, projectNode(node, requested, base))
  // `photos/uploaded` is the older form of `photos?type=uploaded`.
  const edgeArgs = more === undefined ? args : { ...args, type: more }
  const userEdge = isMe ? edges[edgeName] : undefined
  const value = userEdge ? userEdge(edgeArgs) : node.fields[edgeName]?.(edgeArgs)
  if (!isEdge(value)) {
    if (edgeName === 'picture') return json(200, value)
    throw unknownPath(edgeName)
  }
  const reply = json(200, projectEdge(value, edgeArgs, requested, `${node.id}/${edgeName}`, base))
  if (Buffer.byteLength(reply.body) > parts.settings.maxListBytes) throw tooMuchData()
  return reply
}

/** The service does not say how much is too much; fewer records or fields help, the same request never does. */
function tooMuchData(): Refusal {
  return graphError("Please reduce the amount of data you're asking for, then retry your request", {
    status: 500,
    code: 1,
  })
}

function manyNodes(
  request: LabRequest,
  nodeFor: (id: string) => GraphNode | undefined,
  project: (node: GraphNode) => unknown,
): Record<string, unknown> {
  const ids = (first(request.query, 'ids') ?? '').split(',').filter((id) => id !== '')
  if (ids.length === 0) throw unknownPath('')
  if (ids.length > 50) throw graphError('(#100) Too many IDs. Maximum: 50.', { code: 100 })
  const nodes = ids.map((id) => [id, nodeFor(id)] as const)
  const missing = nodes.filter(([, node]) => !node).map(([id]) => id)
  if (missing.length > 0)
    throw graphError(`(#803) Some of the aliases you requested do not exist: ${missing.join(',')}`, {
      code: 803,
      status: 404,
    })
  return Object.fromEntries(nodes.flatMap(([id, node]) => (node ? [[id, project(node)]] : [])))
}

function conditional(request: LabRequest, reply: Reply): Reply {
  const etag = `"${createHash('sha1').update(reply.body).digest('hex')}"`
  if (request.method === 'GET' && request.headers['if-none-match'] === etag)
    return { status: 304, headers: { etag }, body: '' }
  return withHeaders(reply, { etag, 'facebook-api-version': currentVersion })
}
