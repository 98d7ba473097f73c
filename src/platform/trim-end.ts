/** Without these signs at its end. A loop, because `/[…]+$/` takes quadratic time on a long run of them that is not at the end. */
export function trimEndOf(text: string, signs: string): string {
  let end = text.length
  while (end > 0 && signs.includes(text.charAt(end - 1))) end -= 1
  return text.slice(0, end)
}
