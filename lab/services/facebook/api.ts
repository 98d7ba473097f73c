import { createHash } from 'node:crypto'
import { first } from '../../base/pairs.ts'
import type { Person } from '../../base/people.ts'
import { json, type Refusal, type Reply, withHeaders } from '../../base/reply.ts'
import type { LabRequest } from '../../base/request.ts'
import { graphError, noSuchObject, unknownPath } from '../../graph/graph-error.ts'
import { type GraphNode, isEdge } from '../../graph/node.ts'
import { projectEdge, projectNode } from '../../graph/project.ts'
import type { GraphCall } from '../../graph/serve.ts'
import { currentVersion } from '../../graph/version.ts'
import type { FacebookData } from './data.ts'
import { nodeOf, userEdges } from './edges.ts'
import { personNode, type View } from './node-kit.ts'
import { meNode } from './other-nodes.ts'
import { listPermissions, revokePermissions } from './permissions.ts'
import type { FacebookSettings } from './settings.ts'

export interface ApiParts {
  data: FacebookData
  people: readonly Person[]
  settings: FacebookSettings
  /** Usernames of the lab's people who use this app. */
  usersOf(clientKey: string): string[]
}

export function handleCall(parts: ApiParts, call: GraphCall): Reply {
  const { data, people } = parts
  const { request, person, grant, base } = call
  const [id = '', edgeName, more] = call.segments
  const isMe = id === 'me' || id === person.id
  if (isMe && edgeName === 'permissions' && request.method === 'DELETE') return revokePermissions(call, more)
  if (request.method !== 'GET') throw noSuchObject(id, request.method.toLowerCase())
  if (isMe && edgeName === 'permissions') return listPermissions(call)

  const users = parts.usersOf(grant.clientKey)
  const view: View = {
    url: call.url,
    data,
    isNamed: (one) => one.id === person.id || data.usesApps(one.id) || users.includes(one.username),
  }
  const requested = call.requested()
  const edges = userEdges(parts, view, call)
  const nodeFor = (one: string): GraphNode | undefined => {
    if (one === 'me' || one === person.id) {
      const read = Object.entries(edges).map(([name, edge]) => [name, () => edge({})])
      return meNode(view, person, (permission) => grant.granted.has(permission), Object.fromEntries(read))
    }
    const found = data.find(one)
    const owner = found && people.find(({ username }) => username === found.owner)
    if (found && owner?.id === person.id) return nodeOf(view, owner, found.kind, found.item)
    const friend = data.friendsOf(person.username).find((other) => other.id === one)
    return friend && view.isNamed(friend) ? personNode(view, friend) : undefined
  }

  if (id === '')
    return json(
      200,
      manyNodes(request, nodeFor, (node) => projectNode(node, requested, base)),
    )
  const node = nodeFor(id)
  if (!node) throw noSuchObject(id)
  if (edgeName === undefined) return json(200, projectNode(node, requested, base))
  const args = Object.fromEntries(request.query)
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

export function conditional(request: LabRequest, reply: Reply): Reply {
  const etag = `"${createHash('sha1').update(reply.body).digest('hex')}"`
  if (request.method === 'GET' && request.headers['if-none-match'] === etag)
    return { status: 304, headers: { etag }, body: '' }
  return withHeaders(reply, { etag, 'facebook-api-version': currentVersion })
}
