import { verifiesApp } from '#kit/auth.ts'
import { storedTypes } from '#model/types.ts'
import { listServiceKeys } from '#store/apps/service-keys.ts'
import type { ReadDeps } from './find.ts'

export interface ServiceCard {
  title: string
  docs: string
  auth: string
  aliases: string[]
  endpoints: Record<string, { types: string[]; class: string; every_seconds: number }>
  types: string[]
  /** Whether `apply` can verify that a token was issued to this app. */
  apply_verifies_app: boolean
  has_keys?: boolean
}

/** Describes every service; with an app also whether it has keys for it. */
export async function listServices(
  { database, registry }: ReadDeps,
  appId: string | undefined,
): Promise<Record<string, ServiceCard>> {
  const keys =
    appId === undefined ? undefined : new Set((await listServiceKeys(database, appId)).map(({ service }) => service))
  return Object.fromEntries(
    registry.list().map(({ service, title, docs, auth, aliases, endpoints }) => {
      const described = Object.fromEntries(
        Object.entries(endpoints).map(([name, endpoint]) => [
          name,
          {
            types: storedTypes(endpoint.types, endpoint.feed),
            class: endpoint.class,
            every_seconds: endpoint.everyMs / 1000,
          },
        ]),
      )
      const types = [...new Set(Object.values(described).flatMap((endpoint) => endpoint.types))].sort()
      return [
        service,
        {
          title,
          docs,
          auth: auth.kind,
          aliases,
          endpoints: described,
          types,
          apply_verifies_app: verifiesApp(auth),
          ...(keys === undefined ? {} : { has_keys: keys.has(service) }),
        },
      ]
    }),
  )
}
