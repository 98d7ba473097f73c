/** Limit: characters of a name that is compared with the known ones; a longer one has no nearest name. */
const MAX_COMPARED = 40

/** The known name that somebody probably meant, or undefined: case and separators do not count, and few typing errors may remain. */
export function nearestName(given: string, known: Iterable<string>): string | undefined {
  if (given.length > MAX_COMPARED) return undefined
  const plainGiven = plain(given)
  const allowed = Math.max(1, Math.floor(plainGiven.length / 4))
  let best: { name: string; distance: number } | undefined
  for (const name of known) {
    const distance = editDistance(plainGiven, plain(name))
    // A name of two letters is one error away from too many others.
    if (distance <= (name.length < 3 ? 0 : allowed) && (best === undefined || distance < best.distance))
      best = { name, distance }
  }
  return best?.name
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
}

/** Inserted, deleted, replaced and swapped neighbouring characters that turn one text into the other. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const isSame = a[i - 1] === b[j - 1]
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      row.push(
        Math.min(
          last[j]! + 1,
          row[j - 1]! + 1,
          last[j - 1]! + (isSame ? 0 : 1),
          isSwapped ? beforeLast[j - 2]! + 1 : Number.POSITIVE_INFINITY,
        ),
      )
    }
    beforeLast = last
    last = row
  }
  return last[b.length]!
}
