import type { FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import type { Account } from '#model/account.ts'
import type { App } from '#model/app.ts'
import type { Reason } from '#model/errors.ts'
import type { House } from './house.ts'

/**
 * Who may call: `open` anyone, `page` anyone with a browser (no CORS, refusals as pages), `account` the holder of an access
 * token, `app` an app with its id and secret, `admin` the admin token.
 */
export type Door = 'open' | 'page' | 'account' | 'app' | 'admin'

type Shape = z.ZodObject | undefined
/** A body may also be a list. */
type BodyShape = z.ZodType | undefined
type Given<T extends BodyShape> = T extends z.ZodType ? z.output<T> : Record<string, never>

/** One request, checked: what the schemas let through, and nothing else. */
export interface Call<Path extends Shape, Query extends Shape, Body extends BodyShape> {
  path: Given<Path>
  query: Given<Query>
  body: Given<Body>
  /** On `app` routes the caller. */
  app: App
  /** On `account` routes the one that the token opens. */
  account: Account
  request: FastifyRequest
  reply: FastifyReply
}

export interface Route<Path extends Shape = Shape, Query extends Shape = Shape, Body extends BodyShape = BodyShape> {
  door: Door
  summary: string
  path?: Path
  query?: Query
  body?: Body
  answer?: z.ZodType
  status?: number
  /** Reasons of its own, beside those that any route of its door can give. */
  reasons?: Reason[]
  /** A GET that changes something, for compatibility: HEAD, prefetching and link previews must not set it off. */
  acts?: boolean
  /** As RFC 6749 3.1 and 3.2 have it for OAuth endpoints: a parameter without a value counts as absent. */
  emptyIsAbsent?: boolean
  /** The body arrives as its text, whatever it is: signatures are made over bytes. */
  rawBody?: boolean
  /** Reads with an account that may only be remembered, and asks for it again in the same statement. */
  recalls?: boolean
  /** Bodies are passed on and not read: mounted by itself, listed for the description. */
  streams?: boolean
  /** Media type of the answer; JSON unless told otherwise. */
  type?: string
  run(house: House, call: Call<Path, Query, Body>): Promise<unknown>
}

/** Keeps the schemas' types tied to the handler's. */
export function route<
  Path extends Shape = undefined,
  Query extends Shape = undefined,
  Body extends BodyShape = undefined,
>(definition: Route<Path, Query, Body>): Route {
  return definition
}
