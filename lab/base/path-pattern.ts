/** `/api/*` style: a star matches anything, including slashes. */
export function pathMatcher(pattern: string | RegExp): (path: string) => boolean {
  if (pattern instanceof RegExp) return (path) => new RegExp(pattern.source, pattern.flags.replace('g', '')).test(path)
  const source = pattern
    .split('*')
    .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
    .join('.*')
  const expression = new RegExp(`^${source}$`)
  return (path) => expression.test(path)
}
