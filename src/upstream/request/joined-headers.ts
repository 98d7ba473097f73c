/** One string per header; repeated headers are joined as in RFC 9110 5.2. */
export function joinedHeaders(headers: NodeJS.Dict<string | string[]>): Record<string, string> {
  if (!hasLists(headers)) return headers as Record<string, string>
  const joined: Record<string, string> = {}
  for (const name in headers) {
    const value = headers[name]
    if (value !== undefined) joined[name] = typeof value === 'string' ? value : value.join(', ')
  }
  return joined
}

function hasLists(headers: NodeJS.Dict<string | string[]>): boolean {
  for (const name in headers) if (typeof headers[name] !== 'string') return true
  return false
}
