import { trimEndOf } from '#platform/formats/trim-end.ts'

/** The path of an API on its host; a placeholder may stand for the whole host. */
export function apiRootOf(baseUrl: string): string {
  return trimEndOf(baseUrl.replace(/^(?:\{\w+\}|[a-z][a-z\d+.-]*:\/\/[^/?#]*)/i, ''), '/')
}
