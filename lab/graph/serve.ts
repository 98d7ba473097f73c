import { first } from '../base/pairs.ts'
import type { Reply } from '../base/reply.ts'
import type { LabRequest } from '../base/request.ts'
import type { Routes } from '../base/router.ts'
import { everyPath, replyOf } from '../declare/api.ts'
import type { GraphCaller } from './caller.ts'
import { type FieldRequest, parseFields } from './field-list.ts'
import type { LinkBase } from './project.ts'
import { versionedPath } from './version.ts'

export interface GraphCall extends GraphCaller {
  request: LabRequest
  /** The path without its version. */
  segments: string[]
  /** The origin of the service. */
  url: string
  /** The selected fields; read when they are needed. */
  requested: () => FieldRequest[] | undefined
  base: LinkBase
}

interface Served {
  url: () => string
  guard: (request: LabRequest) => GraphCaller
  /** Counts the call; returns what adds the usage to its reply. */
  acquire: (caller: GraphCaller) => (reply: Reply) => Reply
  /** Requests without a user token: login window, token endpoint. */
  open: Readonly<Record<string, (request: LabRequest) => Reply | Promise<Reply>>>
  depth: number
  run: (call: GraphCall) => Reply
}

/** Every Graph API path may begin with a version; the default is the current version. */
export function graphRoutes({ url, guard, acquire, open, depth, run }: Served): Routes {
  return everyPath(['GET', 'POST', 'DELETE'], '', depth, async (request) => {
    const [version, segments] = versionedPath(request.path)
    const opened = open[`${request.method} ${segments.join('/')}`]
    if (opened) return opened(request)
    const caller = guard(request)
    const finish = acquire(caller)
    const fields = first(request.query, 'fields') ?? ''
    const requested = () => (fields === '' ? undefined : parseFields(fields))
    const base = { apiUrl: `${url()}/${version}`, token: caller.token }
    return finish(replyOf(() => run({ ...caller, request, segments, url: url(), requested, base })))
  })
}
