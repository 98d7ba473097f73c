/** The simulated services of the demo and of test mode, in the order in which people see them. */
export const DEMO_SERVICE_NAMES = ['demo-social', 'demo-micro', 'demo-health'] as const

/**
 * Services in the order in which people choose from them: those of the demo first, because an app that has keys for them is being
 * tried out; then by title.
 */
export function inListOrder<T extends { service: string; title: string }>(services: readonly T[]): T[] {
  return services.toSorted((one, other) => placeOf(one) - placeOf(other) || byTitle.compare(one.title, other.title))
}

const byTitle = new Intl.Collator('en')

function placeOf({ service }: { service: string }): number {
  const place = (DEMO_SERVICE_NAMES as readonly string[]).indexOf(service)
  return place === -1 ? DEMO_SERVICE_NAMES.length : place
}
