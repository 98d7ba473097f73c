import { JetStreamApiCodes, type JetStreamManager, jetstreamManager } from '@nats-io/jetstream'
import { headers, type NatsConnection } from '@nats-io/transport-node'
import { DeliveryError } from '../contract.ts'

/** How a stream says that it may be dropped with the destination. */
export const OURS = 'Made by Tributary'

export interface StreamConnection {
  client: NatsConnection
  manager: JetStreamManager
  waitMs: number
  /** What the server said of our rights, apart from the answer that then never came; or why the connection ended. */
  refusal: Error | undefined
}

export async function openConnection(
  connect: (noteFault: (error: Error) => void) => Promise<NatsConnection>,
  waitMs: number,
  onClosed: () => void,
): Promise<StreamConnection> {
  try {
    let fault: Error | undefined
    let connection: StreamConnection | undefined
    const client = await connect((error) => {
      fault = error
      if (connection !== undefined) connection.refusal ??= error
    })
    void client.closed().then(onClosed)
    const manager = await jetstreamManager(client, { checkAPI: false, timeout: waitMs })
    connection = { client, manager, waitMs, refusal: fault }
    void noteRefusals(connection)
    return connection
  } catch (error) {
    onClosed()
    throw error
  }
}

async function noteRefusals(connection: StreamConnection): Promise<void> {
  for await (const status of connection.client.status()) if (status.type === 'error') connection.refusal = status.error
}

export interface Publishing {
  /** The same id within the stream's window is one message. */
  id?: string
  /** What the subject must be at. */
  revision?: number
  /** Which run it comes from: of one profile an older run never speaks after a newer, unless it was frozen. */
  run?: number
}

export async function publish(
  { manager, waitMs }: StreamConnection,
  subject: string,
  text: string,
  { id, revision, run }: Publishing = {},
): Promise<void> {
  const named = headers()
  if (run !== undefined) named.set('Tributary-Run', String(run))
  await manager.jetstream().publish(subject, text, {
    timeout: waitMs,
    headers: named,
    ...(id === undefined ? {} : { msgID: id }),
    ...(revision === undefined ? {} : { expect: { lastSubjectSequence: revision } }),
  })
}

/** Asked for by a request of our own: the library would read as many pages of subjects as the server says there are. */
export async function findStream(
  { client, waitMs }: StreamConnection,
  name: string,
): Promise<{ isOurs: boolean } | undefined> {
  const response = await client.request(`$JS.API.STREAM.INFO.${name}`, '', { timeout: waitMs })
  const { error, config } = fieldsOf(response.json<unknown>())
  const { err_code: code, description } = fieldsOf(error)
  if (code === JetStreamApiCodes.StreamNotFound) return undefined
  if (error !== undefined) throw new DeliveryError('retry', `JetStream answered: ${String(description).slice(0, 200)}`)
  return { isOurs: fieldsOf(config)['description'] === OURS }
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

export async function makeStream(
  connection: StreamConnection,
  mayCreate: boolean,
  config: { name: string; subjects: string[]; max_msgs_per_subject?: number },
): Promise<void> {
  if ((await findStream(connection, config.name)) !== undefined) return
  if (!mayCreate)
    throw new DeliveryError(
      'retry',
      `The stream ${config.name} (${config.subjects[0]}) is missing; make it, or allow options.create.`,
    )
  try {
    await connection.manager.streams.add({ ...config, description: OURS })
  } catch (error) {
    // Another run was quicker.
    if ((await findStream(connection, config.name)) === undefined) throw error
  }
}
