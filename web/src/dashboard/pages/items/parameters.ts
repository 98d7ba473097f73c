/** The parts of the OpenAPI document that the page reads. */
export interface ApiDocument {
  paths: Record<string, { get?: { parameters?: DescribedParameter[] } } | undefined>
}

interface DescribedParameter {
  in: string
  name: string
  description?: string
  schema?: { type?: string; enum?: string[]; default?: string | number | boolean }
}

export interface Parameter {
  name: string
  description: string
  control: 'text' | 'number' | 'time' | 'flag' | 'choice'
  choices: string[]
  /** What the server takes if nothing is given. */
  fallback: string | undefined
}

/** The ways to read items, each a route of the API. */
export const ROUTES = {
  type: { title: 'Type', path: '/types/{type}', operation: 'GET /types/{type}' },
  endpoint: {
    title: 'Endpoint',
    path: '/services/{service}/{endpoint}',
    operation: 'GET /services/{service}/{endpoint}',
  },
  id: { title: 'Id', path: '/id/{id}', operation: 'GET /id/{id}' },
} as const
export type RouteName = keyof typeof ROUTES

/** Parameters that are times; the document says only that they are numbers. */
const TIMES = ['since', 'until', 'updated_since']

/** Every parameter of a route, from the description of the API: a new one gets its control without a change here. */
export function parametersOf(document: ApiDocument, route: RouteName, where: 'path' | 'query'): Parameter[] {
  const described = document.paths[ROUTES[route].path]?.get?.parameters ?? []
  return described
    .filter((each) => each.in === where)
    .map(({ name, description = '', schema = {} }) => ({
      name,
      description,
      control: controlOf(name, schema),
      choices: schema.enum ?? [],
      fallback: schema.default === undefined ? undefined : String(schema.default),
    }))
}

function controlOf(
  name: string,
  { type, enum: choices }: NonNullable<DescribedParameter['schema']>,
): Parameter['control'] {
  if (choices !== undefined) return 'choice'
  if (type === 'boolean') return 'flag'
  if (TIMES.includes(name)) return 'time'
  return type === 'integer' || type === 'number' ? 'number' : 'text'
}
