const MISSING = Symbol('missing')

/** A flat object keyed by the paths as written. Arrays fan out and keep positions; only a missing path is null. */
export function pickFlat(item: unknown, paths: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    paths.map((path) => {
      const value = valueAt(item, path.split('.'))
      return [path, value === MISSING ? null : value]
    }),
  )
}

/** The same paths with their structure kept, and missing ones left out. */
export function pickNested(item: unknown, paths: readonly string[]): unknown {
  const wanted = newTree()
  for (const path of paths) grow(wanted, path.split('.'))
  const picked = prune(item, wanted)
  return picked === MISSING ? {} : picked
}

function valueAt(value: unknown, steps: readonly string[]): unknown {
  const [step, ...rest] = steps
  if (step === undefined) return value
  if (Array.isArray(value)) {
    const found = value.map((entry) => valueAt(entry, steps))
    if (found.some((entry) => entry !== MISSING)) return found.map((entry) => (entry === MISSING ? null : entry))
    return MISSING
  }
  // Own properties only: nobody reaches a prototype by its name.
  if (value === null || typeof value !== 'object' || !Object.hasOwn(value, step)) return MISSING
  return valueAt((value as Record<string, unknown>)[step], rest)
}

/** What is wanted below a step; everything, when a path ends there. */
interface Tree {
  whole: boolean
  steps: Map<string, Tree>
}

function newTree(): Tree {
  return { whole: false, steps: new Map() }
}

function grow(tree: Tree, [step, ...rest]: readonly string[]): void {
  if (step === undefined) {
    tree.whole = true
    return
  }
  const branch = tree.steps.get(step) ?? newTree()
  tree.steps.set(step, branch)
  grow(branch, rest)
}

function prune(value: unknown, wanted: Tree): unknown {
  if (wanted.whole) return value
  if (Array.isArray(value)) {
    const kept = value.map((entry) => prune(entry, wanted)).filter((entry) => entry !== MISSING)
    return kept.length > 0 ? kept : MISSING
  }
  if (value === null || typeof value !== 'object') return MISSING
  const copy: Record<string, unknown> = Object.create(null)
  for (const [step, branch] of wanted.steps) {
    if (!Object.hasOwn(value, step)) continue
    const inner = prune((value as Record<string, unknown>)[step], branch)
    if (inner !== MISSING) copy[step] = inner
  }
  return Object.keys(copy).length > 0 ? copy : MISSING
}
