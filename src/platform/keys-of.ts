/** The names of an object of ours, which has no others than its type tells. */
export function keysOf<Names extends string>(object: Readonly<Record<Names, unknown>>): Names[] {
  return Object.keys(object) as Names[]
}
