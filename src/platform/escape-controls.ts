/** A line break or a terminal escape in a value must not look like a line of ours, and must not command a terminal. */
export function escapeControls(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, escaped)
}

/** The same for text of several lines that has our own styles: bold, dim, and their end. */
export function escapeForTerminal(text: string): string {
  return text.replaceAll(/\u001B\[[012]m|\p{Cc}/gu, (found) =>
    found.length > 1 || found === '\n' || found === '\t' ? found : escaped(found),
  )
}

function escaped(char: string): string {
  const code = char.charCodeAt(0)
  // JSON escapes what is below U+0020 only; terminals know C1 too.
  return code < 0x20 ? JSON.stringify(char).slice(1, -1) : `\\u${code.toString(16).padStart(4, '0')}`
}
