/** People write anything into a field for an address. */
export function webAddress(text: string | null | undefined): string | undefined {
  const url = URL.parse(text ?? '')
  return url?.protocol === 'https:' || url?.protocol === 'http:' ? url.href : undefined
}

/** Limit: characters of a header with people that are read; the rest is ignored. */
const MAX_HEADER = 20_000

export interface Mailbox {
  name?: string
  address: string
}

/** Reads the mailboxes of a header such as `"Doe, Jane" <jane@a.test>, b@b.test` (RFC 5322), without groups and comments. */
export function mailboxesIn(header: string | undefined): Mailbox[] {
  return parts((header ?? '').slice(0, MAX_HEADER)).flatMap((part) => {
    const open = part.lastIndexOf('<')
    const close = part.indexOf('>', open)
    const address = (open < 0 || close < 0 ? part : part.slice(open + 1, close)).trim().toLowerCase()
    if (!/^[^\s@<>]+@[^\s@<>]+$/.test(address)) return []
    const name = open < 0 ? '' : part.slice(0, open).replaceAll(/["\\]/g, '').trim()
    return [{ address, ...(name === '' ? {} : { name }) }]
  })
}

/** Splits at commas outside quotation marks. */
function parts(text: string): string[] {
  const found: string[] = []
  let [from, isQuoted] = [0, false]
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at]
    if (char === '\\') at += 1
    else if (char === '"') isQuoted = !isQuoted
    else if (char === ',' && !isQuoted) {
      found.push(text.slice(from, at))
      from = at + 1
    }
  }
  return [...found, text.slice(from)]
}
