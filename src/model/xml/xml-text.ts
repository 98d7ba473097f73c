const PREDEFINED = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
])

/** Replaces the five predefined entities and character numbers; unknown names stay as text, because nothing declares them. */
export function decodeEntities(text: string): string {
  if (!text.includes('&')) return text
  return text.replaceAll(/&(#\d{1,7}|#x[\da-f]{1,6}|[a-z]{2,4});/gi, (whole, name: string) =>
    name.startsWith('#') ? (characterOf(name) ?? whole) : (PREDEFINED.get(name) ?? whole),
  )
}

function characterOf(name: string): string | undefined {
  const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1))
  const isSurrogate = code >= 0xd800 && code <= 0xdfff
  if (code > 0x10ffff || isSurrogate || (code < 0x20 && ![0x9, 0xa, 0xd].includes(code))) return undefined
  return String.fromCodePoint(code)
}
