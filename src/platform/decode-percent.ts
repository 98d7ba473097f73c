/** Percent-encoded text as its writer meant it; undefined when a `%` begins no escaped character or the bytes are no UTF-8. */
export function decodePercent(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch (error) {
    if (error instanceof URIError) return undefined
    throw error
  }
}
