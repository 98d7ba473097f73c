const MISSING = Symbol('missing')

/**
 * Picks a flat object keyed by the paths as written; a missing path is null. A path into an array reads every entry and keeps
 * positions, with null for entries that lack it; a path that no entry has is missing.
 */
export function flatPicker(paths: readonly string[]): (item: unknown) => Record<string, unknown> {
  const wanted = paths.map((path) => ({ path, steps: path.split('.') }))
  return (item) =>
    Object.fromEntries(
      wanted.map(({ path, steps }) => {
        const value = valueAt(item, steps, 0)
        return [path, value === MISSING ? null : value]
      }),
    )
}

/** Picks the fields at the paths in their structure, without missing ones. */
export function nestedPicker(paths: readonly string[]): (item: unknown) => unknown {
  const tree = newTree()
  for (const path of paths) addPath(tree, path.split('.'))
  return (item) => {
    const picked = prune(item, tree)
    return picked === MISSING ? {} : picked
  }
}

/** `from` is the first step that is left. Connectors return undefined for what a record lacks, which JSON cannot hold. */
function valueAt(value: unknown, steps: readonly string[], from: number): unknown {
  if (value === undefined) return MISSING
  const step = steps[from]
  if (step === undefined) return value
  if (Array.isArray(value)) {
    const found = value.map((entry) => valueAt(entry, steps, from))
    if (found.some((entry) => entry !== MISSING)) return found.map((entry) => (entry === MISSING ? null : entry))
    return MISSING
  }
  // Own properties only, so that a path cannot reach a prototype.
  if (value === null || typeof value !== 'object' || !Object.hasOwn(value, step)) return MISSING
  return valueAt((value as Record<string, unknown>)[step], steps, from + 1)
}

/** The selected fields below a step; with `whole` everything, because a path ends there. */
interface Tree {
  whole: boolean
  steps: Map<string, Tree>
}

function newTree(): Tree {
  return { whole: false, steps: new Map() }
}

function addPath(tree: Tree, [step, ...rest]: readonly string[]): void {
  if (step === undefined) {
    tree.whole = true
    return
  }
  const branch = tree.steps.get(step) ?? newTree()
  tree.steps.set(step, branch)
  addPath(branch, rest)
}

function prune(value: unknown, tree: Tree): unknown {
  if (value === undefined) return MISSING
  if (tree.whole) return value
  if (Array.isArray(value)) {
    const entries = value.map((entry) => prune(entry, tree)).filter((entry) => entry !== MISSING)
    return entries.length > 0 ? entries : MISSING
  }
  if (value === null || typeof value !== 'object') return MISSING
  const copy: Record<string, unknown> = Object.create(null)
  for (const [step, branch] of tree.steps) {
    if (!Object.hasOwn(value, step)) continue
    const inner = prune((value as Record<string, unknown>)[step], branch)
    if (inner !== MISSING) copy[step] = inner
  }
  return Object.keys(copy).length > 0 ? copy : MISSING
}
