/** What the rest of a path to a link can still be, at one place of a JSON document. */
export interface LinkPlace {
  /** A text here is a link. */
  isLink: boolean
  /** No text below is a link. */
  isDead: boolean
  /** The places below, by the names that matter, folded. */
  names: ReadonlyMap<string, LinkPlace>
  /** By the first byte of a name in JSON: whether it may be one of `names`. */
  begins: Uint8Array
  /** The place below any other name, and of the elements of an array. */
  other: LinkPlace
}

/** Where no link can be. */
export const NOWHERE: LinkPlace = {
  isLink: false,
  isDead: true,
  names: new Map(),
  begins: new Uint8Array(256),
  get other() {
    return NOWHERE
  },
}

/**
 * A name without its case. Many readers of JSON, Go's and those of .NET among them, do not tell `Next` from `next`, and fold two letters
 * beyond ASCII as well: the long s and the sign of Kelvin.
 */
export const foldName = (name: string): string => name.toLowerCase().toUpperCase()

/** Limit: paths of links that a connector may declare; one with more is refused. */
const MAX_PATHS = 32
/** Limit: steps of such a path; a connector with a longer one is refused. */
const MAX_STEPS = 8

/** What is wrong with a path of links; undefined if nothing is. */
export function linkPathFault(paths: unknown): string | undefined {
  if (!Array.isArray(paths) || paths.length === 0 || paths.length > MAX_PATHS)
    return `must be a list of 1 to ${MAX_PATHS} paths, such as paging.next`
  return paths.every(isLinkPath)
    ? undefined
    : `must be paths of at most ${MAX_STEPS} steps, such as paging.next, items.*.href, or **.next (** first, and then names only)`
}

function isLinkPath(path: unknown): boolean {
  if (typeof path !== 'string') return false
  const steps = path.split('.')
  if (steps.length > MAX_STEPS || steps.includes('') || steps.at(-1) === '**') return false
  // Both together could have very many places.
  return steps[0] === '**' ? !steps.slice(1).some((step) => /^\*\*?$/.test(step)) : !steps.includes('**')
}

/**
 * Compiles the paths at which links are. `*` is any one name or element of an array, `**` at the beginning any number of them, also
 * none. A dot separates steps, and may as well be part of a name, as in `@odata.nextLink`.
 */
export function compileLinkPaths(paths: readonly string[]): LinkPlace {
  const known = new Map<string, LinkPlace>()
  const placeOf = (rests: readonly string[]): LinkPlace => {
    const all = [...new Set(rests.flatMap((rest) => (rest.startsWith('**.') ? [rest, rest.slice(3)] : [rest])))]
    const key = JSON.stringify(all.toSorted())
    const found = known.get(key)
    if (found !== undefined) return found
    const names = new Map<string, LinkPlace>()
    const isDead = all.every((rest) => rest === '')
    const place: LinkPlace = { ...NOWHERE, isLink: all.includes(''), isDead, names }
    known.set(key, place)
    place.other = placeOf(all.flatMap(afterAny))
    for (const name of new Set(all.flatMap(namesAt)))
      names.set(name, placeOf([...all.flatMap(afterAny), ...all.flatMap((rest) => afterName(rest, name))]))
    place.begins = firstBytesOf(names.keys())
    return place
  }
  return placeOf(paths.map(foldName))
}

function afterAny(rest: string): string[] {
  if (rest.startsWith('**.')) return [rest]
  if (rest === '*') return ['']
  return rest.startsWith('*.') ? [rest.slice(2)] : []
}

function afterName(rest: string, name: string): string[] {
  if (rest === name) return ['']
  return rest.startsWith(`${name}.`) ? [rest.slice(name.length + 1)] : []
}

/** The names with which a path can go on: up to each of its dots, until a step that is not a name. */
function namesAt(rest: string): string[] {
  if (rest === '') return []
  const steps = rest.split('.')
  const end = steps.findIndex((step) => step === '*' || step === '**')
  const named = end < 0 ? steps : steps.slice(0, end)
  return named.map((_, i) => named.slice(0, i + 1).join('.'))
}

/** Any character of a name may be escaped, or be one that only folds to it: the first byte of the long s, and of the sign of Kelvin. */
const BACKSLASH = 0x5c
const FOLDED = [0xc5, 0xe2]

function firstBytesOf(names: Iterable<string>): Uint8Array {
  const begins = new Uint8Array(256)
  for (const name of names) {
    for (const first of [name, name.toLowerCase()]) begins[Buffer.from(first)[0]!] = 1
    for (const first of [BACKSLASH, ...FOLDED]) begins[first] = 1
  }
  return begins
}
