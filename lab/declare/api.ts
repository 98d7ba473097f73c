import { Refusal, type Reply } from '../base/reply.ts'
import type { LabRequest } from '../base/request.ts'
import type { Handler, Routes } from '../base/router.ts'

/** `need` is what the vendor asks of a call: scopes, a limit, a price. */
export interface Resource<Need, Call> {
  need: Need
  run: (call: Call) => Reply
}

type Finish = (reply: Reply) => Reply

export interface Asked<Need> {
  request: LabRequest
  params: Record<string, string>
  need: Need
  /** The resource's key, `GET /path/:param`. */
  key: string
}

interface ApiRules<Need, Call> {
  /** Checks the token and counts the call; `finish` adds to every later reply, such as headers about limits. */
  admit(asked: Asked<Need>): { call: Call; finish: Finish }
  /** Checks whose refusals `finish` completes too; may return what else is done to the reply. */
  check?(call: Call, need: Need): Finish | undefined
  /** The reply with a record. */
  reply(value: unknown, call: Call): Reply
  /** The reply with the part of a list that the request asks for. */
  page<Item>(call: Call, items: readonly Item[], show: (item: Item) => unknown, need: Need): Reply
  /** GET requests of other paths below `below`, up to this depth. */
  unknown?: { below: string; depth: number; reply: () => Reply }
}

/** The API of a service from its rules. A resource names what it needs, where its records are and how they are shown. */
export function declareApi<Need, Call>(rules: ApiRules<Need, Call>) {
  const served =
    (key: string, { need, run }: Resource<Need, Call>): Handler =>
    (request, params) => {
      const { call, finish } = rules.admit({ request, params, need, key })
      return finish(
        replyOf(() => {
          const also = rules.check?.(call, need)
          const reply = run(call)
          return also ? also(reply) : reply
        }),
      )
    }
  return {
    one: (need: Need, read: (call: Call) => unknown): Resource<Need, Call> => ({
      need,
      run: (call) => rules.reply(read(call), call),
    }),
    list: <Item>(
      need: Need,
      read: (call: Call) => readonly Item[],
      show: (call: Call, item: Item) => unknown,
    ): Resource<Need, Call> => ({
      need,
      run: (call) => rules.page(call, read(call), (item) => show(call, item), need),
    }),
    /** A resource whose reply is written by hand. */
    own: (need: Need, run: (call: Call) => Reply): Resource<Need, Call> => ({ need, run }),
    routes: (resources: Record<string, Resource<Need, Call>>): Routes => {
      const known = Object.entries(resources).map(([key, resource]) => [key, served(key, resource)] as const)
      const { unknown } = rules
      const others = unknown ? everyPath(['GET'], unknown.below, unknown.depth, unknown.reply) : {}
      return { ...Object.fromEntries(known), ...others }
    },
  }
}

/** The reply of a handler; a refusal is its reply too. */
export function replyOf(run: () => Reply): Reply {
  try {
    return run()
  } catch (error) {
    if (error instanceof Refusal) return error.reply
    throw error
  }
}

/** One handler for all paths below a prefix, up to a depth. */
export function everyPath(methods: readonly string[], below: string, depth: number, handler: Handler): Routes {
  const paths = Array.from({ length: depth }, (_, at) => Array.from({ length: at + 1 }, (__, n) => `/:p${n}`).join(''))
  return Object.fromEntries(methods.flatMap((method) => paths.map((path) => [`${method} ${below}${path}`, handler])))
}
