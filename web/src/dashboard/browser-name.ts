/** A browser as people call it. */
export function browserName(text: string): string {
  const [, name, version] = /(Firefox|Edg|OPR|HeadlessChrome|Chrome|Safari)\/(\d+)/.exec(text) ?? []
  const [, system] = /(Windows|Mac OS|Android|iPhone|iPad|Linux)/.exec(text) ?? []
  if (name === undefined) return text.slice(0, 40)
  return [name === 'Edg' ? 'Edge' : name, version, system && `on ${system}`]
    .filter((part) => part !== undefined)
    .join(' ')
}
