import type { NativeId } from '../read/kind.ts'

/** A stored item of the endpoint that a child endpoint names in `each`. */
export interface ParentItem<Record = unknown> {
  /** Its id at the service. */
  id: string
  /** Its record as stored. */
  record: Record
}

/** For which parents a page was requested: one, or those of a batch. */
export interface ParentContext<Record = unknown> {
  parent: ParentItem<Record>
  parents: ParentItem<Record>[]
}

/** How several parents share one request. */
export interface Batch<Raw> {
  size: number
  /** The parameter with their ids, joined by commas unless `separator` says otherwise. */
  param?: string
  separator?: string
  /** The body of the request with their ids, sent as JSON. */
  body?: (ids: string[]) => unknown
  /** Returns the id of the parent that a record belongs to. Default: the record's own id, as details have it. */
  of?: (raw: Raw) => NativeId | undefined
}

/** What a connector's author writes about a child endpoint, in addition to the fields of every endpoint. */
export interface ChildInput<Raw, Parent> {
  /**
   * The endpoint whose items are the parents: this one is read for each of them. `{parent}` in `path` and `query` is replaced by
   * the parent's id; `items` and `prepare` get the parent's record. A record is stored without its parent: `items` adds to it what
   * `kind` needs. Ids of records should be unique over all parents.
   */
  each?: string
  /** `changed`: only parents that are new or changed. Default: `always`, every run reads those of all parents. */
  when?: 'changed' | 'always'
  /** For `changed`: how often the parents are all read nevertheless: `7d`. Default: never. */
  allEvery?: string
  /** For `changed`: the value that changes when the children do. Default: any change of the parent's record. */
  version?: (parent: Parent) => string | number | undefined
  /** Which parents have children that may be read; `person` is the service user of the profile. Default: all. */
  where?: (parent: Parent, person: { id: string }) => boolean
  /** Reads several parents with one request. */
  batch?: Batch<Raw>
}

/** The same with its defaults, and with the types erased. */
export interface Children {
  each: string
  when: 'changed' | 'always'
  allEveryMs: number | undefined
  version: ((parent: unknown) => string | number | undefined) | undefined
  where: ((parent: unknown, person: { id: string }) => boolean) | undefined
  batch: Batch<unknown> | undefined
}
