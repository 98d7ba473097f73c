import { withQuery } from '../base/reply.ts'
import { cutPage } from './edge-page.ts'
import type { FieldRequest } from './field-list.ts'
import { wrongParameter } from './graph-error.ts'
import { type Args, type GraphEdge, type GraphNode, isEdge, isNode } from './node.ts'

type Json = Record<string, unknown>

/** Base of the paging links: the versioned API URL and the access token, which every link repeats. */
export interface LinkBase {
  apiUrl: string
  token: string
}

export function projectNode(node: GraphNode, requested: readonly FieldRequest[] | undefined, base: LinkBase): Json {
  const fields: FieldRequest[] = [...(requested ?? node.defaults.map((name) => ({ name, args: {} })))]
  if (node.id !== undefined && !fields.some(({ name }) => name === 'id')) fields.push({ name: 'id', args: {} })
  const out: Json = {}
  for (const field of fields) {
    const read = field.name === 'id' && node.id !== undefined ? () => node.id : node.fields[field.name]
    if (!read) throw wrongParameter(`Tried accessing nonexisting field (${field.name}) on node type (${node.typeName})`)
    const value = shown(read(field.args), field, `${node.id ?? ''}/${field.name}`, base)
    if (value !== undefined) out[field.alias ?? field.name] = value
  }
  return out
}

function shown(value: unknown, field: FieldRequest, path: string, base: LinkBase): unknown {
  if (isNode(value)) return projectNode(value, field.fields, base)
  if (isEdge(value)) {
    const page = projectEdge(value, field.args, field.fields, path, base)
    // An empty nested list is omitted unless its summary is requested.
    return value.entries.length === 0 && page['summary'] === undefined ? undefined : page
  }
  if (field.fields && typeof value === 'object' && value !== null && !Array.isArray(value))
    return Object.fromEntries(
      field.fields.flatMap(({ name }) => (name in value ? [[name, (value as Json)[name]]] : [])),
    )
  return value
}

export function projectEdge(
  edge: GraphEdge,
  args: Args,
  requested: readonly FieldRequest[] | undefined,
  path: string,
  base: LinkBase,
): Json {
  const page = cutPage(edge, args)
  const otherArgs = Object.fromEntries(Object.entries(args).filter(([name]) => !pagingNames.has(name)))
  const address = (params: Record<string, string> | undefined) =>
    params && withQuery(`${base.apiUrl}/${path}`, { access_token: base.token, ...otherArgs, ...params })
  const [next, previous] = [address(page.next), address(page.previous)]
  const paging = {
    ...(page.cursors ? { cursors: page.cursors } : {}),
    ...(previous === undefined ? {} : { previous }),
    ...(next === undefined ? {} : { next }),
  }
  const summed = edge.alwaysSummed === true || args['summary'] === 'true' || args['summary'] === '1'
  return {
    data: page.entries.flatMap(({ node }) => (node ? [projectNode(node, requested, base)] : [])),
    ...(Object.keys(paging).length === 0 ? {} : { paging }),
    ...(summed && edge.summary ? { summary: edge.summary } : {}),
  }
}

const pagingNames = new Set([
  'access_token',
  'appsecret_proof',
  'limit',
  'after',
  'before',
  'since',
  'until',
  '__paging_token',
  '__previous',
])
