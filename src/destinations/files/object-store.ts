/** A place for objects with names: a folder, or a bucket. Writing the same name again replaces the object. */
export interface ObjectStore {
  put(name: string, body: Uint8Array, mediaType: string): Promise<void>
  /** Undefined when there is no such object. Only for small ones. */
  get(name: string): Promise<string | undefined>
  /** The names that begin so, page by page, none larger than asked; a prefix ends with a slash. */
  pages(prefix: string, size: number): AsyncIterable<string[]>
  remove(name: string): Promise<void>
  /** Ends what is under way. */
  close(): void
}
