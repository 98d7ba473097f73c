import { until } from '../harness/until.ts'
import type { Locator } from '../real/browser.ts'

/** Waits until a page shows exactly so many: it draws what arrives, one response after the other. */
export async function shown(locator: Locator, wanted: number): Promise<void> {
  await until(
    `the page shows ${wanted}`,
    () => locator.count(),
    (count) => count === wanted,
  )
}
