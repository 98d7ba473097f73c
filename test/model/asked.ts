/** Parts of the interface that the random questions leave out while they are written anew. Each can be switched on alone. */
export const ASKED = {
  /** `fields` that an item lacks although others have them, and `oembed` where a list has no cards. */
  missingFields: true,
  /** Words of which symbols are a part (`C++`, `C#`, `.NET`), and a `q` of nothing but `-word`. */
  symbols: true,
  /** `dedup=true`: copies are left out. */
  dedup: true,
}
