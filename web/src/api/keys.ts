import type { Operation } from '@tributary-hub/client/core.ts'

export type Read = Extract<Operation, `GET ${string}`>
type Path = Record<string, string>

/** For whom operators themselves ask; requests for an app or an account have its id in this place. */
export const OPERATOR = 'operator'

/** The key of a query: what is read, for whom, and the input, so that equal requests are shared. */
export const keyOf = (operation: Read, who: string, path: Path = {}, query: object = {}) =>
  [operation, who, path, query] as const

/** The beginning of keys: everything that an operation reads, or what it reads for somebody, or that of one path. */
export type KeyStart = readonly [operation: Read, who?: string, path?: Path]
