/** How long a step took: 12 ms, 1.5 s, 2.0 min. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  return ms < 60_000 ? `${(ms / 1000).toFixed(1)} s` : `${(ms / 60_000).toFixed(1)} min`
}

/** Names of steps are written for programs: `token_exchange`. */
export function readable(name: string): string {
  const text = name.replaceAll('_', ' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}
