/** A line break or a terminal escape in a value must not look like a line of ours, and must not command a terminal. */
export function escapeControls(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, escaped)
}

const STYLES: ReadonlySet<string> = new Set(['\u001b[0m', '\u001b[1m', '\u001b[2m'])
const LAYOUT: ReadonlySet<string> = new Set(['\n', '\t'])

/** The same for text of several lines that has our own styles: bold, dim, and their end. */
export function escapeForTerminal(text: string): string {
  return text.replaceAll(/(\p{Cc})(\[[012]m)?/gu, (found, control: string, style = '') => {
    if (STYLES.has(found)) return found
    return (LAYOUT.has(control) ? control : escaped(control)) + String(style)
  })
}

function escaped(char: string): string {
  const code = char.charCodeAt(0)
  // JSON escapes what is below U+0020 only; terminals know C1 too.
  return code < 0x20 ? JSON.stringify(char).slice(1, -1) : `\\u${code.toString(16).padStart(4, '0')}`
}
