/** The first of a list that cannot be empty where this is asked. */
export function firstOf<Item>(list: readonly Item[]): Item {
  return sure(list[0])
}

export function lastOf<Item>(list: readonly Item[]): Item {
  return sure(list.at(-1))
}

function sure<Item>(item: Item | undefined): Item {
  if (item === undefined) throw new Error('A list that cannot be empty is empty')
  return item
}
