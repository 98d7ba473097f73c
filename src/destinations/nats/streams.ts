import type { JetStreamManager } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import { DeliveryError } from '../contract.ts'
import { jetstream, natsTransport } from './driver.ts'

/** The description of streams that we created, and that may be dropped with the destination. */
export const CREATED_BY_US = 'Made by Tributary'

export interface StreamConnection {
  client: NatsConnection
  manager: JetStreamManager
  waitMs: number
  /** Why the connection ended, or which permission is missing: the server reports that apart from the request, which times out. */
  fault: Error | undefined
}

export async function openConnection(
  connect: (onFault: (error: Error) => void) => Promise<NatsConnection>,
  waitMs: number,
  onClosed: () => void,
): Promise<StreamConnection> {
  try {
    let fault: Error | undefined
    let connection: StreamConnection | undefined
    const client = await connect((error) => {
      fault = error
      if (connection !== undefined) connection.fault ??= error
    })
    void client.closed().then(onClosed)
    const manager = await jetstream().jetstreamManager(client, { checkAPI: false, timeout: waitMs })
    connection = { client, manager, waitMs, fault }
    void followErrors(connection)
    return connection
  } catch (error) {
    onClosed()
    throw error
  }
}

async function followErrors(connection: StreamConnection): Promise<void> {
  for await (const status of connection.client.status()) if (status.type === 'error') connection.fault = status.error
}

export interface Publishing {
  /** Messages with the same id within the stream's duplicate window are stored once. */
  id?: string
  /** The sequence that the last message of the subject must have. */
  revision?: number
  /** The epoch of the run, so that a receiver recognizes messages of an older run that was frozen. */
  run?: number
}

export async function publish(
  { manager, waitMs }: StreamConnection,
  subject: string,
  text: string,
  { id, revision, run }: Publishing = {},
): Promise<void> {
  const messageHeaders = natsTransport().headers()
  if (run !== undefined) messageHeaders.set('Tributary-Run', String(run))
  await manager.jetstream().publish(subject, text, {
    timeout: waitMs,
    headers: messageHeaders,
    ...(id === undefined ? {} : { msgID: id }),
    ...(revision === undefined ? {} : { expect: { lastSubjectSequence: revision } }),
  })
}

/** Sent as a plain request: the library would read as many pages of subjects as the server announces. */
export async function findStream(
  { client, waitMs }: StreamConnection,
  name: string,
): Promise<{ isCreatedByUs: boolean } | undefined> {
  const response = await client.request(`$JS.API.STREAM.INFO.${name}`, '', { timeout: waitMs })
  const { error, config } = fieldsOf(response.json<unknown>())
  const { err_code: code, description } = fieldsOf(error)
  if (code === jetstream().JetStreamApiCodes.StreamNotFound) return undefined
  if (error !== undefined) throw new DeliveryError('retry', `JetStream answered: ${String(description).slice(0, 200)}`)
  return { isCreatedByUs: fieldsOf(config)['description'] === CREATED_BY_US }
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

export async function ensureStream(
  connection: StreamConnection,
  mayCreate: boolean,
  config: { name: string; subjects: string[]; max_msgs_per_subject?: number },
): Promise<void> {
  if ((await findStream(connection, config.name)) !== undefined) return
  if (!mayCreate)
    throw new DeliveryError(
      'retry',
      `The stream ${config.name} (${config.subjects[0]}) is missing; create it, or set options.create to true.`,
    )
  try {
    await connection.manager.streams.add({ ...config, description: CREATED_BY_US })
  } catch (error) {
    // Another run created it first.
    if ((await findStream(connection, config.name)) === undefined) throw error
  }
}
