import type { Brand } from '../base/page.ts'
import { makePeople, type Person } from '../base/people.ts'
import type { ServiceContext, ServiceDefinition, ServiceParts } from '../base/service-parts.ts'
import { applySettings, type SettingRules } from '../base/settings.ts'
import { drawPicture } from '../data/picture.ts'

/** An authorization server, or several that share their clients. */
export interface Access extends Pick<ServiceParts, 'register' | 'tokens' | 'configure'> {
  settings: object
  endpoints?: () => Record<string, string>
}

interface Simulation extends Pick<ServiceParts, 'routes' | 'data' | 'hooks' | 'kept' | 'later'> {
  access: Access
  /** Settings of the service itself. */
  own?: SettingGroup
  /** Groups of settings, each under its name. */
  groups?: Record<string, SettingGroup>
}

interface SettingGroup {
  settings: object
  configure(changes: Record<string, unknown>): void
}

export const settingGroup = <S extends object>(settings: S, allowed: SettingRules<S>): SettingGroup => ({
  settings,
  configure: (changes) => void applySettings(settings, changes, allowed),
})

interface Declaration {
  name: string
  brand: Brand
  /** The native id of one of the lab's people. */
  idOf: (username: string, at: number) => string
  /** The addresses that an app is set up with: paths of the service. */
  endpoints: Record<string, string>
  /** Adds the addresses of the authorization server, where they are the standard ones. */
  standardEndpoints?: boolean
  /** The route of pictures, and the picture that a name in its path stands for. */
  pictures?: { path: string; drawn?: (name: string) => string }
  build: (context: ServiceContext, people: Person[]) => Simulation
}

/** A service from its declaration. */
export function declareService(declaration: Declaration): ServiceDefinition {
  const { name, brand, idOf, endpoints, standardEndpoints, pictures, build } = declaration
  return {
    name,
    brand,
    build(context) {
      const people = makePeople(idOf, context.maxActivity)
      const { access, own, groups = {}, routes, ...others } = build(context, people)
      const { path, drawn = (one: string) => one } = pictures ?? {}
      const shownGroups = () =>
        Object.fromEntries(Object.entries(groups).map(([group, { settings }]) => [group, settings]))
      return {
        people,
        routes: {
          ...(path === undefined ? {} : { [`GET ${path}`]: (_, { name: one = '' }) => drawPicture(drawn(one)) }),
          ...routes,
        },
        endpoints: () => ({
          ...(standardEndpoints ? access.endpoints?.() : {}),
          ...Object.fromEntries(Object.entries(endpoints).map(([key, at]) => [key, `${context.url()}${at}`])),
        }),
        register: access.register,
        settings: () => ({ ...access.settings, ...shownGroups(), ...own?.settings }),
        configure(changes) {
          const entries = Object.entries(changes)
          const isOwn = (key: string) => own !== undefined && key in own.settings
          access.configure(Object.fromEntries(entries.filter(([key]) => !isOwn(key) && !(key in groups))))
          for (const [group, values] of entries)
            if (typeof values === 'object' && values !== null) groups[group]?.configure({ ...values })
          own?.configure(Object.fromEntries(entries.filter(([key]) => isOwn(key))))
        },
        tokens: access.tokens,
        ...others,
      }
    },
  }
}
