const SERVICES = '/demo/services/'

/** The path of a picture of a demo service; undefined for every other address. */
export function ownPath(src: string | undefined): string | undefined {
  if (src === undefined || !URL.canParse(src)) return undefined
  const { pathname, search } = new URL(src)
  return pathname.startsWith(SERVICES) ? pathname + search : undefined
}
