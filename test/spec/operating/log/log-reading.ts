import type { InspectedOperation, LoggedOperation } from '#flows/apps/log.ts'
import type { App } from '../../../harness/app.ts'
import { redeem } from '../../../harness/sign-in.ts'
import type { Tributary } from '../../../harness/start.ts'
import { until } from '../../../harness/until.ts'

type Reading = { tributary: Pick<Tributary, 'url' | 'adminToken' | 'admin'> }

/** A page of an app's log. */
export async function readLog(
  { tributary }: Reading,
  clientId: string,
  query: Record<string, string> = {},
): Promise<{ operations: LoggedOperation[]; next?: string }> {
  const params = new URLSearchParams(query).toString()
  const { status, body } = await tributary.admin('GET', `/admin/apps/${clientId}/log?${params}`)
  if (status !== 200) throw new Error(`The log was refused: ${JSON.stringify(body)}`)
  return body as { operations: LoggedOperation[]; next?: string }
}

export async function inspected({ tributary }: Reading, clientId: string, id: string): Promise<InspectedOperation> {
  return (await tributary.admin('GET', `/admin/apps/${clientId}/log/${id}`)).body as InspectedOperation
}

/** Entries are written a moment later: waits for the newest one of a query that is as expected. */
export async function logged(
  at: Reading,
  clientId: string,
  query: Record<string, string>,
  isExpected: (operation: LoggedOperation) => boolean = () => true,
): Promise<InspectedOperation> {
  const { id } = await until(`${JSON.stringify(query)} is logged`, async () =>
    (await readLog(at, clientId, query)).operations.find(isExpected),
  )
  return inspected(at, clientId, id)
}

/** Entries of a process are written in their order: waits for a new one, so that everything before it is written. */
export async function allWritten(at: Reading, app: App): Promise<void> {
  const query = { reason: 'code_unknown' }
  const ids = async () => (await readLog(at, app.clientId, query)).operations.map(({ id }) => id)
  const before = new Set(await ids())
  await redeem({ ...at, app }, 'trc_nothing', {}, app)
  await until('the newest entry is written', async () => (await ids()).some((id) => !before.has(id)))
}

/** Names of the steps, those inside others after a slash. */
export function stepNames({ steps }: InspectedOperation): string[] {
  return steps.flatMap(({ name, steps: inner }) => [name, ...inner.map((each) => `${name}/${each.name}`)])
}
