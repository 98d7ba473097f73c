import { decodeHTMLStrict } from 'entities/decode'

/** Characters that only named entities write: spaces of any width, tabs and line ends; and places where a word may or may not be broken. */
const SPACES = /[\t\n\u00a0\u2002-\u200a\u205f]+/g
const BREAKS = /[\u00ad\u200b\u200c\u2060]/g

/** Returns the characters of an HTML entity by the name or number between `&` and `;`; undefined when the name is unknown. */
export function entityText(name: string): string | undefined {
  const written = `&${name};`
  const text = decodeHTMLStrict(written)
  if (text === written) return undefined
  if (name.startsWith('#')) return text === '\u00a0' ? ' ' : text
  // The text is for search and for one line: every space becomes a plain one, and optional breaks disappear.
  return text.replaceAll(SPACES, ' ').replaceAll(BREAKS, '')
}
