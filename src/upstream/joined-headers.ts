/** One text for each header; those that came more than once are joined as RFC 9110 5.2 says. */
export function joinedHeaders(headers: NodeJS.Dict<string | string[]>): Record<string, string> {
  const joined: Record<string, string> = {}
  for (const name in headers) {
    const value = headers[name]
    if (value !== undefined) joined[name] = typeof value === 'string' ? value : value.join(', ')
  }
  return joined
}
