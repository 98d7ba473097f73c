import { storableText } from '#platform/formats/storable-text.ts'
import { redactText } from '#platform/telemetry/redact.ts'

/** What a reader threw, for the author of the connector. */
export interface ReaderFault {
  field: string
  message: string
}

/** Calls a reader; when it throws, the field is left out and the fault reported. */
export type Guarded = <Value>(field: string, reader: () => Value) => Value | undefined

export function guarded(onFault: (fault: ReaderFault) => void): Guarded {
  return (field, reader) => {
    try {
      return reader()
    } catch (error) {
      onFault({ field, message: messageOf(error) })
      return undefined
    }
  }
}

/** Limit: characters of an error that a connector's reader threw; the rest is cut off, because it may quote the record. */
const MAX_FAULT_MESSAGE = 200

function messageOf(error: unknown): string {
  const text =
    error instanceof Error ? `${error.name}: ${error.message}` : typeof error === 'string' ? error : 'no error'
  // Cut before redacting, because it can be as long as the record.
  return storableText(redactText(text.slice(0, MAX_FAULT_MESSAGE)))
}

/** Absent values are null, undefined, and empty texts and lists. */
export function isPresent(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0
  return value !== undefined && value !== null && value !== ''
}
