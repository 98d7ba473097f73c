/** Stores named objects in a folder or a bucket. Writing the same name again replaces the object. */
export interface ObjectStore {
  put(name: string, body: Uint8Array, mediaType: string): Promise<void>
  /** For small objects. Undefined when there is no object with this name. */
  get(name: string): Promise<string | undefined>
  /** The names with this prefix, which ends with a slash, in pages of at most `size`. */
  pages(prefix: string, size: number): AsyncIterable<string[]>
  remove(name: string): Promise<void>
  /** Ends requests in progress. */
  close(): void
}
