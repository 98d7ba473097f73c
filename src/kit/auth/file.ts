import type { TypedFields } from './typed.ts'

/** One record of an uploaded file, for the endpoint of this name. */
export interface FileRecord {
  endpoint: string
  record: { id: string; [field: string]: unknown }
}

/** Collects what the texts of one upload contain. */
export interface FileReader {
  /**
   * Takes the text of one file, in steps, so that the caller can pause between them. Returns false if it has none of the formats; then
   * nothing is read from it.
   */
  add: (text: string) => Generator<undefined, boolean>
  /** The records of all texts, each id once per endpoint. */
  records: () => Iterable<FileRecord>
  /** Parts that were left out, because they are too large or have no content. */
  skipped: () => number
}

/** Nobody signs in and nothing is called: the person or the app uploads a file. Write it with `fileUpload()`. */
export interface FileUpload {
  kind: 'file'
  /** Nothing is typed. */
  fields: TypedFields
  /** Names of files inside an archive that are read: how they end, in lower case. A single file is known by its content. */
  endings: readonly string[]
  /** Throws `TooManyRecords` beyond `maxRecords`. */
  reader: (maxRecords: number) => FileReader
}

/** More records than one upload may have. */
export class TooManyRecords extends Error {
  override name = 'TooManyRecords'
}

/** Describes a service whose records come from files that people upload. */
export function fileUpload(input: Omit<FileUpload, 'kind' | 'fields'>): FileUpload {
  return { ...input, kind: 'file', fields: {} }
}

/** Where a read upload continues: the body of a page that an endpoint of such a service gets. */
export interface UploadedPage<Raw> {
  records: Raw[]
  next?: string | undefined
}
