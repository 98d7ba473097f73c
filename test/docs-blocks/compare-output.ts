/** Says how an output differs from what a page states; undefined if it does not. `…` stands for anything. */
export function difference(language: string, stated: string, actual: string): string | undefined {
  if (language !== 'json') return isLike(stated.trim(), actual.trim()) ? undefined : `is\n${actual.trim()}`
  return jsonDifference(JSON.parse(stated), JSON.parse(actual), '')
}

/** Fields that the page leaves out may be there: responses gain fields. A list that ends with "…" may be longer. */
function jsonDifference(stated: unknown, actual: unknown, path: string): string | undefined {
  const differs = `${path === '' ? 'the document' : path} is ${JSON.stringify(actual)}`
  if (typeof stated === 'string')
    return stated === '…' || (typeof actual === 'string' && isLike(stated, actual)) ? undefined : differs
  if (typeof stated !== 'object' || stated === null) return stated === actual ? undefined : differs
  if (typeof actual !== 'object' || actual === null || Array.isArray(stated) !== Array.isArray(actual)) return differs
  const isOpen = Array.isArray(stated) && stated.at(-1) === '…'
  const parts = isOpen ? stated.slice(0, -1) : stated
  if (Array.isArray(parts) && !isOpen && parts.length !== (actual as unknown[]).length) return differs
  for (const [key, value] of Object.entries(parts)) {
    const found = jsonDifference(value, (actual as Record<string, unknown>)[key], `${path}.${key}`)
    if (found !== undefined) return found
  }
  return undefined
}

function isLike(stated: string, actual: string): boolean {
  const parts = stated.split('…').map((part) => RegExp.escape(part))
  return new RegExp(`^${parts.join('[\\s\\S]*')}$`).test(actual)
}
