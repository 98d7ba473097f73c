/** An import, an export from, a dynamic import, or the address of a module beside this one. */
const BEFORE = /(?:\bfrom|\bimport|\bimport\(|\bnew URL\(|\bimport\.meta\.dirname,)\s*/.source
const LOCAL = /(?:#|\.{1,2}\/|(?<=dirname,\s*['"]))[\w./-]+/.source

const TYPESCRIPT = new RegExp(`(${BEFORE})(['"])(${LOCAL})\\.ts\\2`, 'g')
const JAVASCRIPT = new RegExp(`(?:\\bfrom|\\bimport|\\bimport\\()\\s*(['"])(${LOCAL}\\.js)\\1`, 'g')

/** Turns the endings of local imports from `.ts` into `.js`. */
export function toJavaScript(text: string): string {
  return text.replaceAll(TYPESCRIPT, '$1$2$3.js$2')
}

/** The local modules that a text imports. */
export function localSpecifiers(text: string): string[] {
  return [...text.matchAll(JAVASCRIPT)].map(([, , specifier]) => specifier!)
}
