/** `Object.keys` with the names of the type. Only for objects that have no other keys than their type says. */
export function keysOf<Names extends string>(object: Readonly<Record<Names, unknown>>): Names[] {
  return Object.keys(object) as Names[]
}
