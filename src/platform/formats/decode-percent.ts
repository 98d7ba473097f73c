/** Decodes percent-encoded text; undefined when an escape is malformed or the bytes are not UTF-8. */
export function decodePercent(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch (error) {
    if (error instanceof URIError) return undefined
    throw error
  }
}
