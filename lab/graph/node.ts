export type Args = Readonly<Record<string, string>>

/** Something with fields. A field is read when it is asked for; undefined leaves it out of the answer. */
export interface GraphNode {
  kind: 'node'
  typeName: string
  /** Absent for things that have no id of their own, such as attachments. */
  id?: string
  defaults: readonly string[]
  fields: Readonly<Record<string, (args: Args) => unknown>>
}

export interface EdgeEntry {
  key: string
  atMs: number
  /** Undefined when privacy holds it back: it takes its place in a page and shows nothing. */
  node: GraphNode | undefined
}

/** A list of nodes, paged by cursor or by time. */
export interface GraphEdge {
  kind: 'edge'
  paging: 'cursor' | 'time'
  entries: readonly EdgeEntry[]
  summary?: Readonly<Record<string, unknown>>
  /** Lists the summary without being asked. */
  alwaysSummed?: boolean
}

export const isNode = (value: unknown): value is GraphNode => kindOf(value) === 'node'
export const isEdge = (value: unknown): value is GraphEdge => kindOf(value) === 'edge'

const kindOf = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && 'kind' in value ? value.kind : undefined

export const cursorEdge = (nodes: readonly GraphNode[], summary?: Readonly<Record<string, unknown>>): GraphEdge => ({
  kind: 'edge',
  paging: 'cursor',
  entries: nodes.map((node, at) => ({ key: node.id ?? String(at), atMs: 0, node })),
  ...(summary === undefined ? {} : { summary }),
})
