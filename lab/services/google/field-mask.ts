type Mask = Map<string, Mask | undefined>

/** Partial responses: `nextPageToken,files(id,owners(me)),payload/headers`. Returns undefined for a mask that is malformed. */
export function parseMask(text: string): Mask | undefined {
  let at = 0
  const list = (): Mask | undefined => {
    const mask: Mask = new Map()
    for (;;) {
      const name = /^[\w*]+/.exec(text.slice(at))?.[0]
      if (name === undefined) return undefined
      at += name.length
      let inner: Mask | undefined
      if (text[at] === '/') {
        at += 1
        const rest = /^[\w*]+/.exec(text.slice(at))?.[0]
        if (rest === undefined) return undefined
        at += rest.length
        inner = new Map([[rest, undefined]])
      } else if (text[at] === '(') {
        at += 1
        inner = list()
        if (inner === undefined || text[at] !== ')') return undefined
        at += 1
      }
      mask.set(name, inner)
      if (text[at] !== ',') return mask
      at += 1
    }
  }
  const mask = list()
  return at === text.length ? mask : undefined
}

export function applyMask(value: unknown, mask: Mask | undefined): unknown {
  if (mask === undefined || mask.has('*') || value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return value.map((one) => applyMask(one, mask))
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) =>
      mask.has(name) ? [[name, applyMask(inner, mask.get(name))] as const] : [],
    ),
  )
}
