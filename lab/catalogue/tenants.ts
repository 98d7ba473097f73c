import { type CallIn, type Reply, refused } from './call.ts'
import { type LabEntry, labValue, pathOf, setAt, type TenantsEntry } from './entry.ts'

/** What a person has at a service: sites, companies, workspaces. The first has the values of the lab, the others end with their number. */
export interface LabTenant {
  name: string
  /** The service lists it, and lets nobody in. */
  isClosed?: boolean
}

const DEFAULT: LabTenant[] = [{ name: 'North' }]

export function createTenants(entry: LabEntry, tenants: TenantsEntry) {
  let held = DEFAULT
  const path = pathOf(entry, tenants.get)
  /** Which tenant a call is for; undefined where it names none. */
  const numberOf = ({ path: at, headers, query }: CallIn): number | undefined => {
    const [found, number = '1'] =
      /fact-[a-z]\w*(?:-(\d+))?/.exec([at, query.toString(), ...Object.values(headers)].join(' ')) ?? []
    return found === undefined ? undefined : Number(number)
  }

  function list(): Reply {
    const rows = held.map((tenant, i) => {
      const row: Record<string, unknown> = {}
      for (const [name, at] of Object.entries(tenants.facts)) setAt(row, at, valueOf(name, i))
      for (const [at, text] of Object.entries(tenants.where ?? {})) setAt(row, at, text)
      if (tenants.name !== undefined) setAt(row, tenants.name, tenant.name)
      return row
    })
    // Where the service has an object in place of a list, the person has one tenant.
    const isObject = tenants.list === undefined && held.length === 1 && tenants.where === undefined
    if (tenants.list === undefined) return { status: 200, body: isObject ? rows[0] : rows }
    const body = {}
    setAt(body, tenants.list, [...rows, { other: true }])
    return { status: 200, body }
  }

  return {
    path,
    list,
    hold: (next: LabTenant[]) => {
      held = next
    },
    /** The call as the first tenant would make it; undefined where the person has no such tenant, or it lets nobody in. */
    unnumbered: (call: CallIn): CallIn | Reply => {
      const number = numberOf(call)
      if (number === undefined) return call
      const tenant = held[number - 1]
      if (tenant === undefined) return refused(404, 'no such tenant')
      if (tenant.isClosed === true) return refused(403, 'the tenant lets nobody in')
      const plain = (text: string) => text.replaceAll(/(fact-\w+?)-\d+/g, '$1')
      const headers = Object.entries(call.headers).map(([name, text]) => [
        name,
        text === undefined ? text : plain(text),
      ])
      return {
        ...call,
        path: plain(call.path),
        query: new URLSearchParams(plain(call.query.toString())),
        headers: Object.fromEntries(headers) as CallIn['headers'],
      }
    },
  }
}

const valueOf = (name: string, i: number): string => `${labValue('fact', name)}${i === 0 ? '' : `-${i + 1}`}`
