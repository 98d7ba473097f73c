import type { Page } from '../real/browser.ts'
import { loadCorePackage } from '../real/packages.ts'

export interface Violation {
  id: string
  impact: string
  /** The elements, as HTML. */
  nodes: string[]
}

/** The accessibility rules that a page violates. `options` of `axe.run`, as an expression. */
export async function violationsOf(page: Page, options = '{}'): Promise<Violation[]> {
  const { source } = (await loadCorePackage<{ default: { source: string } }>('axe-core')).default
  return page.evaluate<Violation[]>(`(async () => {
    ${source}
    const { violations } = await axe.run(${options})
    return violations.map(({ id, impact, nodes }) => ({ id, impact, nodes: nodes.map(({ html }) => html.slice(0, 120)) }))
  })()`)
}
