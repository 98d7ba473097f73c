/** The last word may be unfinished: a final `*` finds its continuations. */
export function searchOf(q: string | undefined): string | undefined {
  return q !== undefined && /[\p{L}\p{N}]$/u.test(q) ? `${q}*` : q
}
