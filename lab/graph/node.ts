export type Args = Readonly<Record<string, string>>

/** An object with fields. A field is read only when requested; undefined omits it from the response. */
export interface GraphNode {
  kind: 'node'
  typeName: string
  /** Absent for objects without an id, such as attachments. */
  id?: string
  defaults: readonly string[]
  fields: Readonly<Record<string, (args: Args) => unknown>>
}

export const node = (
  typeName: string,
  id: string | undefined,
  defaults: readonly string[],
  fields: GraphNode['fields'],
): GraphNode => ({ kind: 'node', typeName, ...(id === undefined ? {} : { id }), defaults, fields })

/** 2026-05-01T10:00:00+0000 */
export const graphTime = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}+0000`

export interface EdgeEntry {
  key: string
  atMs: number
  /** Undefined when privacy hides the node: it counts towards the page size but is not shown. */
  node: GraphNode | undefined
}

/** A list of nodes, paged by cursor or by time. */
export interface GraphEdge {
  kind: 'edge'
  paging: 'cursor' | 'time'
  entries: readonly EdgeEntry[]
  summary?: Readonly<Record<string, unknown>>
  /** Includes the summary even if it was not requested. */
  alwaysSummed?: boolean
}

export const isNode = (value: unknown): value is GraphNode => kindOf(value) === 'node'
export const isEdge = (value: unknown): value is GraphEdge => kindOf(value) === 'edge'

const kindOf = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && 'kind' in value ? value.kind : undefined

export const cursorEdge = (nodes: readonly GraphNode[], summary?: Readonly<Record<string, unknown>>): GraphEdge => ({
  kind: 'edge',
  paging: 'cursor',
  entries: nodes.map((one, at) => ({ key: one.id ?? String(at), atMs: 0, node: one })),
  ...(summary === undefined ? {} : { summary }),
})
