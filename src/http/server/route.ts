import type { z } from 'zod'
import type { Caller } from '#flows/requests/idempotency.ts'
import type { SignInDeps } from '#identity/deps.ts'
import type { SignInStep } from '#identity/sign-in-trace.ts'
import type { Account, VerifiedOrCachedAccount } from '#model/accounts/account.ts'
import type { App } from '#model/apps/app.ts'
import type { Operator } from '#model/apps/operator.ts'
import type { Reason } from '#model/errors.ts'
import type { HttpReply } from '../exchange/reply.ts'
import type { HttpRequest } from '../exchange/request.ts'
import type { HttpDeps } from './deps.ts'
import type { HeaderName } from './response-headers.ts'

/**
 * Who may call: `none` anyone, `browser` anyone with a browser (no CORS, refusals as pages, no writes of other origins), `account` the holder of an access
 * token, `app` an app with its id and secret, `admin` an operator, `dashboard` the dashboard in a browser, signed in or not (no
 * CORS). An operator may also call for an app or an account.
 */
export type RouteAuth = 'none' | 'browser' | 'dashboard' | 'account' | 'app' | 'admin'

export type Shape = z.ZodObject | undefined
/** A body may also be a list. */
type BodyShape = z.ZodType | undefined
type Given<T extends BodyShape> = T extends z.ZodType ? z.output<T> : Record<string, never>

/** One request, checked: what the schemas let through, and nothing else. */
interface Checked<Path extends Shape, Query extends Shape, Body extends BodyShape> {
  path: Given<Path>
  query: Given<Query>
  body: Given<Body>
  request: HttpRequest
  reply: HttpReply
}

/** The argument of a handler: the checked request, and the authenticated caller. */
export type Call<
  Caller extends object = object,
  Path extends Shape = Shape,
  Query extends Shape = Shape,
  Body extends BodyShape = BodyShape,
> = Checked<Path, Query, Body> & Caller

/** An operator who calls for an app or account, and how the audit log names the caller. */
interface ActingCaller {
  operator: Operator | undefined
  actor: string
}

interface AppCaller extends ActingCaller {
  app: App
}

interface AccountCaller extends ActingCaller {
  account: Account
}

interface OperatorCaller extends ActingCaller {
  operator: Operator
}

/** Where a route is a step of a sign-in: the dependencies of the flows, which log what happens in the request. */
interface SignInCaller {
  signIn: SignInDeps<HttpDeps>
}

export interface OtherResponse {
  description: string
  /** JSON, unless `type` says otherwise. Default: no body. */
  response?: z.ZodType
  type?: string
  headers?: HeaderName[]
}

/** The description of a route, independent of its handler. */
export interface RouteDescription<
  Path extends Shape = Shape,
  Query extends Shape = Shape,
  Body extends BodyShape = BodyShape,
> {
  /** What the route does: a short imperative sentence for the API reference. */
  summary: string
  path?: Path
  query?: Query
  body?: Body
  response?: z.ZodType
  status?: number
  /** Headers of the response, besides those that every response has. */
  headers?: HeaderName[]
  /** Responses with another status that are not errors. */
  also?: Record<number, OtherResponse>
  /** Other media types of the response, with a schema. */
  media?: Record<string, z.ZodType>
  /** Reasons in addition to those of its `auth`. */
  reasons?: Reason[]
  /** A GET that changes something, for compatibility: HEAD, prefetching and link previews must not trigger it. */
  hasSideEffects?: boolean
  /** Pages of other origins may have a browser send it: services return a sign-in in a form. Only for routes for browsers. */
  crossSite?: true
  /** Parameters that `run` validates itself; for the description only. */
  describedQuery?: z.ZodObject
  /** A parameter without a value counts as absent and unknown ones are ignored, as RFC 6749 3.1 and 3.2 require for OAuth endpoints. */
  emptyIsAbsent?: boolean
  /** Unknown parameters are ignored: services, monitoring or links to pages add some. Routes for browsers always ignore them. */
  ignoresUnknown?: boolean
  /** The body is passed as text and not parsed, because its signature covers the bytes. */
  rawBody?: boolean
  /** `run` reads the body from `request.raw`, as it arrives. `uploads` are the media types that it takes. */
  streamsBody?: boolean
  uploads?: readonly string[]
  /**
   * Takes an `Idempotency-Key`: a repeated request gets the first response again. Routes that authenticate in `run` say who the caller
   * is. A method, so that one of specific schemas is assignable.
   */
  idempotencyKey?: true | { caller(deps: HttpDeps, call: Checked<Path, Query, Body>): Promise<Caller> }
  /** Media type of the response. Default: JSON. */
  type?: string
  /**
   * Developers who may call a route of operators: those of the app in the path, all (then `run` limits what they see), or none.
   * Default: those of the app below `/admin/apps/:client_id`, else none.
   */
  developers?: 'of the app' | 'all' | 'none'
  /**
   * Fields of the body of a route of operators that only an operator may give, and why: completes “Only an operator may set `field`:”.
   * A developer leaves them as they are.
   */
  operatorOnly?: Readonly<Record<string, string>>
  /** An operator's session must have given the password or a passkey recently. */
  dangerous?: boolean
  /** The action that the audit log gets when an operator calls for an app or account, where the flow records none. */
  auditedAs?: string
}

type Run<Caller extends object, Path extends Shape, Query extends Shape, Body extends BodyShape> = (
  deps: HttpDeps,
  call: Call<Caller, Path, Query, Body>,
) => Promise<unknown>

/** A route whose caller was looked up for this request. */
interface Proven<Caller extends object, Path extends Shape, Query extends Shape, Body extends BodyShape>
  extends RouteDescription<Path, Query, Body> {
  usesCachedAccount?: false
  signInStep?: undefined
  run: Run<Caller, Path, Query, Body>
}

/**
 * A route that may be called with a cached account, with which only a statement that verifies it may read. `run` is called again
 * when the account has changed, so it must be idempotent and send nothing before it has read.
 */
interface Cached<Path extends Shape, Query extends Shape, Body extends BodyShape>
  extends RouteDescription<Path, Query, Body> {
  usesCachedAccount: true
  signInStep?: undefined
  run: Run<{ account: VerifiedOrCachedAccount }, Path, Query, Body>
}

/** A route that is a step of a sign-in, which the log of the app shows under this name. */
interface Step<Path extends Shape, Query extends Shape, Body extends BodyShape>
  extends RouteDescription<Path, Query, Body> {
  usesCachedAccount?: false
  signInStep: SignInStep
  run: Run<SignInCaller, Path, Query, Body>
}

export type AccountDefinition<Path extends Shape, Query extends Shape, Body extends BodyShape> =
  | Proven<AccountCaller, Path, Query, Body>
  | Cached<Path, Query, Body>

type Definition<Path extends Shape, Query extends Shape, Body extends BodyShape> =
  | ({ auth: 'account' } & AccountDefinition<Path, Query, Body>)
  | ({ auth: 'app' } & Proven<AppCaller, Path, Query, Body>)
  | ({ auth: 'admin' } & Proven<OperatorCaller, Path, Query, Body>)
  | ({ auth: 'none' | 'browser' } & Step<Path, Query, Body>)
  | ({ auth: 'none' | 'browser' | 'dashboard' } & Proven<object, Path, Query, Body>)

/** A route with any schemas. Methods, not properties, so that a handler of specific schemas is assignable: it only gets what they accept. */
export type Route = RouteDescription &
  (
    | {
        auth: 'account'
        usesCachedAccount?: false
        run(deps: HttpDeps, call: Call<AccountCaller>): Promise<unknown>
      }
    | {
        auth: 'account'
        usesCachedAccount: true
        run(deps: HttpDeps, call: Call<{ account: VerifiedOrCachedAccount }>): Promise<unknown>
      }
    | { auth: 'app'; run(deps: HttpDeps, call: Call<AppCaller>): Promise<unknown> }
    | { auth: 'admin'; run(deps: HttpDeps, call: Call<OperatorCaller>): Promise<unknown> }
    | {
        auth: 'none' | 'browser'
        signInStep: SignInStep
        run(deps: HttpDeps, call: Call<SignInCaller>): Promise<unknown>
      }
    | {
        auth: 'none' | 'browser' | 'dashboard'
        signInStep?: undefined
        run(deps: HttpDeps, call: Call): Promise<unknown>
      }
  )

/** A route that is mounted separately, because bodies are streamed and not parsed; listed for the description only. */
export interface MountedRoute extends RouteDescription {
  auth: RouteAuth
  mounted: true
}

/** Whether only pages of our own may have a browser send it. */
export function isBrowserWrite(
  method: string,
  { auth, crossSite }: Pick<Route | MountedRoute, 'auth' | 'crossSite'>,
): boolean {
  return auth === 'browser' && crossSite !== true && method !== 'GET' && method !== 'HEAD'
}

/** Defines a route; the types of the handler's arguments follow from the schemas. */
export function route<
  Path extends Shape = undefined,
  Query extends Shape = undefined,
  Body extends BodyShape = undefined,
>(definition: Definition<Path, Query, Body>): Route {
  return definition
}
