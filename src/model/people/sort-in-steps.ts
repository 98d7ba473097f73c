/** Elements that are sorted in one step. */
const SLICE = 500

/** Sorts a list and yields between steps, so that the caller can pause: a merge sort over sorted slices. */
export function* sortInSteps<Element>(
  list: readonly Element[],
  compare: (one: Element, other: Element) => number,
): Generator<undefined, Element[]> {
  let runs: Element[][] = []
  for (let at = 0; at < list.length; at += SLICE) {
    runs.push(list.slice(at, at + SLICE).sort(compare))
    yield
  }
  while (runs.length > 1) {
    const merged: Element[][] = []
    for (let at = 0; at < runs.length; at += 2) merged.push(yield* merge(runs[at]!, runs[at + 1] ?? [], compare))
    runs = merged
  }
  return runs[0] ?? []
}

function* merge<Element>(
  one: readonly Element[],
  other: readonly Element[],
  compare: (one: Element, other: Element) => number,
): Generator<undefined, Element[]> {
  const merged: Element[] = []
  let [a, b] = [0, 0]
  while (a < one.length || b < other.length) {
    const takesOne = b >= other.length || (a < one.length && compare(one[a]!, other[b]!) <= 0)
    merged.push(takesOne ? one[a++]! : other[b++]!)
    if (merged.length % SLICE === 0) yield
  }
  return merged
}
