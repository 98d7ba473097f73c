/** The first entry of a list that the caller knows not to be empty. */
export function firstOf<Item>(list: readonly Item[]): Item {
  return required(list[0])
}

export function lastOf<Item>(list: readonly Item[]): Item {
  return required(list.at(-1))
}

function required<Item>(item: Item | undefined): Item {
  if (item === undefined) throw new Error('Expected a list with at least one entry')
  return item
}
