/** Removes these characters from the end. A loop, because `/[…]+$/` takes quadratic time on a long run that is not at the end. */
export function trimEndOf(text: string, chars: string): string {
  let end = text.length
  while (end > 0 && chars.includes(text.charAt(end - 1))) end -= 1
  return text.slice(0, end)
}
