import { z } from 'zod'

/** What agents (MCP clients) may do for the people of an app, if those consent. */
export interface AgentSettings {
  /** Where agents receive people after the consent; other addresses than those of the app itself. */
  redirectUris: string[]
  /** Services that an agent may write to, if the person allows it too. */
  writes: string[]
  /** When agents were turned on. What people allowed before has ended: agents were off in between. */
  since?: number | undefined
}

/** Whether agents were turned off after the person allowed something; turning them on again does not bring it back. */
export function hasEnded({ since = 0 }: AgentSettings, { createdAt }: { createdAt: number }): boolean {
  return createdAt < since
}

/** Scopes that read, with what the person is asked. */
export const READ_SCOPES = {
  'items:read': 'Search and read your items: posts, photos, check-ins, messages and everything else that was synced',
  'people:read': 'Read the people in your contacts',
  'profiles:read': 'See which services and profiles you connected',
  'changes:read': 'Follow what is added, changed and deleted',
} as const

export type ReadScope = keyof typeof READ_SCOPES
export type WriteScope = `write:${string}`
export type AgentScope = ReadScope | WriteScope

export const READ_SCOPE_NAMES = Object.keys(READ_SCOPES) as ReadScope[]

export function writeScopeOf(service: string): WriteScope {
  return `write:${service}`
}

/** The scopes that an agent may request at an app. */
export function offeredScopes({ writes }: AgentSettings): AgentScope[] {
  return [...READ_SCOPE_NAMES, ...writes.map(writeScopeOf)]
}

/** The scopes of a request that the app offers; without a request, all that read. */
export function requestedScopes(settings: AgentSettings, scope: string | undefined): AgentScope[] {
  if (scope === undefined) return READ_SCOPE_NAMES
  const words = scope.split(' ')
  return offeredScopes(settings).filter((each) => words.includes(each))
}

/** The settings as the API shows and takes them. */
export const agentSettings = z.object({
  redirect_uris: z.array(z.string()).describe('Addresses that agents receive people at; compared exactly.'),
  write_services: z
    .array(z.string())
    .default([])
    .describe('Services that an agent may write to, if the person allows it too. Default none.'),
})

export function presentAgents({ redirectUris, writes }: AgentSettings): z.output<typeof agentSettings> {
  return { redirect_uris: redirectUris, write_services: writes }
}
