import type { EndpointProgress } from '#flows/sync/progress.ts'
import { get, type Running } from './send.ts'
import { until } from './until.ts'

/** The progress of each endpoint of a profile, by name. */
export type Progress = Record<string, EndpointProgress>

/** Reads the sync progress of a profile. */
export async function syncProgress(running: Running, token: string, service: string): Promise<Progress> {
  const { status, text, body } = await get(running, `/profiles/${service}/sync`, token)
  if (status !== 200) throw new Error(`The progress of ${service} was refused: ${text}`)
  return body as unknown as Progress
}

/** Waits until every endpoint of a profile, or each of `endpoints`, has completed a run after `afterMs`. */
export async function synced(
  running: Running,
  token: string,
  service: string,
  { endpoints, afterMs = -1 }: { endpoints?: string[]; afterMs?: number } = {},
): Promise<Progress> {
  return until(
    `${service} is synced`,
    () => syncProgress(running, token, service),
    (now) => {
      const names = endpoints ?? Object.keys(now)
      const isDone = (name: string) => now[name]?.state === 'done' && (now[name].last_run ?? 0) > afterMs
      return names.length > 0 && names.every(isDone)
    },
  )
}
