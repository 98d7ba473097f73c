import type { LabService } from '../base/service.ts'
import { type Lab, type ServiceName, startLab } from '../lab.ts'
import { callback } from './oauth2-client.ts'
import { fromTheSameHour } from './same-hour.ts'

/** An app that is registered at a simulated vendor. */
export interface VendorApp<Name extends ServiceName> {
  lab: Lab<Name>
  service: LabService
  key: string
  secret: string
}

export async function startVendor<Name extends ServiceName>(name: Name): Promise<VendorApp<Name>> {
  const lab = await startLab({ services: [name], clock: fromTheSameHour() })
  const service = lab.services[name]
  return { lab, service, ...service.register({ redirectUris: [callback] }) }
}

/** Follows the pages of a list to the last one. */
export async function walkPages<Page>(
  first: string,
  read: (path: string) => Promise<Response>,
  nextOf: (page: Page, response: Response) => string | undefined,
): Promise<Page[]> {
  const pages: Page[] = []
  for (let next: string | undefined = first; next !== undefined; ) {
    const response = await read(next)
    if (response.status !== 200) throw new Error(`${next}: ${response.status} ${await response.text()}`)
    const page = (await response.json()) as Page
    pages.push(page)
    next = nextOf(page, response)
  }
  return pages
}
