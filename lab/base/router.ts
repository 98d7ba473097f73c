import { json, type Reply } from './reply.ts'
import type { LabRequest } from './request.ts'

export type Handler = (request: LabRequest, params: Record<string, string>) => Reply | Promise<Reply>

/** Keys are `METHOD /path/:param`. */
export type Routes = Record<string, Handler>

export function createRouter(routes: Routes): (request: LabRequest) => Reply | Promise<Reply> {
  const table = Object.entries(routes).map(([key, handler]) => {
    const [method = '', pattern = ''] = key.split(' ')
    return { method, parts: pattern.split('/'), handler }
  })
  return (request) => {
    const parts = request.path.split('/')
    const allowed: string[] = []
    for (const route of table) {
      const params = match(route.parts, parts)
      if (!params) continue
      if (route.method === request.method) return route.handler(request, params)
      allowed.push(route.method)
    }
    if (allowed.length > 0) return json(405, { error: 'method_not_allowed' }, { allow: allowed.join(', ') })
    return json(404, { error: 'not_found' })
  }
}

function match(pattern: string[], parts: string[]): Record<string, string> | undefined {
  if (pattern.length !== parts.length) return undefined
  const params: Record<string, string> = {}
  for (const [at, part] of pattern.entries()) {
    const given = parts[at] ?? ''
    if (part.startsWith(':')) params[part.slice(1)] = safeDecode(given)
    else if (part !== given) return undefined
  }
  return params
}

function safeDecode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
