import type { FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import type { Account, ReadingAccount } from '#model/account.ts'
import type { App } from '#model/app.ts'
import type { Reason } from '#model/errors.ts'
import type { HttpDeps } from './deps.ts'

/**
 * Who may call: `none` anyone, `browser` anyone with a browser (no CORS, refusals as pages), `account` the holder of an access
 * token, `app` an app with its id and secret, `admin` the admin token.
 */
export type RouteAuth = 'none' | 'browser' | 'account' | 'app' | 'admin'

export type Shape = z.ZodObject | undefined
/** A body may also be a list. */
type BodyShape = z.ZodType | undefined
type Given<T extends BodyShape> = T extends z.ZodType ? z.output<T> : Record<string, never>

/** One request, checked: what the schemas let through, and nothing else. */
interface Checked<Path extends Shape, Query extends Shape, Body extends BodyShape> {
  path: Given<Path>
  query: Given<Query>
  body: Given<Body>
  request: FastifyRequest
  reply: FastifyReply
}

/** What a handler gets: the request, and whoever its `auth` lets in. */
export type Call<
  Caller extends object = object,
  Path extends Shape = Shape,
  Query extends Shape = Shape,
  Body extends BodyShape = BodyShape,
> = Checked<Path, Query, Body> & Caller

/** What is told of a route, whoever serves it. */
export interface RouteDescription<
  Path extends Shape = Shape,
  Query extends Shape = Shape,
  Body extends BodyShape = BodyShape,
> {
  summary: string
  path?: Path
  query?: Query
  body?: Body
  response?: z.ZodType
  status?: number
  /** Reasons of its own, beside those that any route of its `auth` can give. */
  reasons?: Reason[]
  /** A GET that changes something, for compatibility: HEAD, prefetching and link previews must not set it off. */
  hasSideEffects?: boolean
  /** As RFC 6749 3.1 and 3.2 have it for OAuth endpoints: a parameter without a value counts as absent. */
  emptyIsAbsent?: boolean
  /** The body arrives as its text, whatever it is: signatures are made over bytes. */
  rawBody?: boolean
  /** Media type of the response; JSON unless told otherwise. */
  type?: string
}

type Run<Caller extends object, Path extends Shape, Query extends Shape, Body extends BodyShape> = (
  deps: HttpDeps,
  call: Call<Caller, Path, Query, Body>,
) => Promise<unknown>

/** Given what was looked up for this request. */
interface Proven<Caller extends object, Path extends Shape, Query extends Shape, Body extends BodyShape>
  extends RouteDescription<Path, Query, Body> {
  usesCachedAccount?: false
  run: Run<Caller, Path, Query, Body>
}

/**
 * May be given an account as it was a moment ago, which only a statement that proves it again can read with. `run` is called
 * again when the account turns out to be another, so it must be idempotent and send nothing before it has read.
 */
interface Cached<Path extends Shape, Query extends Shape, Body extends BodyShape>
  extends RouteDescription<Path, Query, Body> {
  usesCachedAccount: true
  run: Run<{ account: ReadingAccount }, Path, Query, Body>
}

export type AccountDefinition<Path extends Shape, Query extends Shape, Body extends BodyShape> =
  | Proven<{ account: Account }, Path, Query, Body>
  | Cached<Path, Query, Body>

type Definition<Path extends Shape, Query extends Shape, Body extends BodyShape> =
  | ({ auth: 'account' } & AccountDefinition<Path, Query, Body>)
  | ({ auth: 'app' } & Proven<{ app: App }, Path, Query, Body>)
  | ({ auth: 'none' | 'browser' | 'admin' } & Proven<object, Path, Query, Body>)

/** A route as the server sees it, of whatever schemas; written as methods, since each is only called with what its own let through. */
export type Route = RouteDescription &
  (
    | {
        auth: 'account'
        usesCachedAccount?: false
        run(deps: HttpDeps, call: Call<{ account: Account }>): Promise<unknown>
      }
    | {
        auth: 'account'
        usesCachedAccount: true
        run(deps: HttpDeps, call: Call<{ account: ReadingAccount }>): Promise<unknown>
      }
    | { auth: 'app'; run(deps: HttpDeps, call: Call<{ app: App }>): Promise<unknown> }
    | { auth: 'none' | 'browser' | 'admin'; run(deps: HttpDeps, call: Call): Promise<unknown> }
  )

/** A route that a part of the server serves by itself, so that bodies are passed on and not read; listed for the description. */
export interface MountedRoute extends RouteDescription {
  auth: RouteAuth
  mounted: true
}

/** Keeps the schemas' types tied to the handler's. */
export function route<
  Path extends Shape = undefined,
  Query extends Shape = undefined,
  Body extends BodyShape = undefined,
>(definition: Definition<Path, Query, Body>): Route {
  return definition
}
