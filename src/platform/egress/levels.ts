import { createEgress, type Egress, type EgressOptions } from './guard.ts'
import { type PrivateList, TRUST, type Trust } from './trust.ts'

/** Every setting of the guards but those that the level of a call decides. */
export interface EgressLevelsOptions
  extends Record<PrivateList, readonly string[]>,
    Omit<EgressOptions, 'allowPrivate' | 'list' | 'webPortsOnly'> {
  /** Further ranges of one level. */
  also?: Partial<Record<Trust, readonly string[]>>
}

export interface EgressLevels {
  /** The guard of a level. Each has connections of its own, so that none is used by a level that could not open it. */
  at(trust: Trust): Egress
  close(): Promise<void>
}

export function createEgressLevels(options: EgressLevelsOptions): EgressLevels {
  const opened = new Map<Trust, Egress>()
  const open = (trust: Trust): Egress => {
    const { list, ports, sockets, connectTimeoutMs } = TRUST[trust]
    const { also, allowPrivate: _operator, allowPrivateTyped: _typed, sockets: named, ...shared } = options
    return createEgress({
      connectTimeoutMs,
      ...shared,
      allowPrivate: [...options[list], ...(also?.[trust] ?? [])],
      list,
      webPortsOnly: ports === 'web',
      ...(sockets && named !== undefined ? { sockets: named } : {}),
    })
  }
  return {
    at: (trust) => {
      const egress = opened.get(trust) ?? open(trust)
      opened.set(trust, egress)
      return egress
    },
    close: async () => {
      await Promise.all([...opened.values()].map((egress) => egress.close()))
    },
  }
}
