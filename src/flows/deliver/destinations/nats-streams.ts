import { JetStreamApiCodes, JetStreamApiError, type JetStreamManager, jetstreamManager } from '@nats-io/jetstream'
import { headers, type NatsConnection } from '@nats-io/transport-node'
import { DeliveryError } from '../destination.ts'

const ANSWER_MS = 10_000
/** How a stream says that it may be dropped with the destination. */
export const OURS = 'Made by Tributary'

export interface Line {
  client: NatsConnection
  manager: JetStreamManager
  /** What the server said of our rights, apart from the answer that then never came. */
  refusal: Error | undefined
}

export async function openLine(connect: () => Promise<NatsConnection>, onClosed: () => void): Promise<Line> {
  try {
    const client = await connect()
    void client.closed().then(onClosed)
    const line: Line = {
      client,
      manager: await jetstreamManager(client, { checkAPI: false, timeout: ANSWER_MS }),
      refusal: undefined,
    }
    void noteRefusals(line)
    return line
  } catch (error) {
    onClosed()
    throw error
  }
}

async function noteRefusals(line: Line): Promise<void> {
  for await (const status of line.client.status()) if (status.type === 'error') line.refusal = status.error
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
  { manager }: Line,
  subject: string,
  text: string,
  { id, revision, run }: Publishing = {},
): Promise<void> {
  const named = headers()
  if (run !== undefined) named.set('Tributary-Run', String(run))
  await manager.jetstream().publish(subject, text, {
    timeout: ANSWER_MS,
    headers: named,
    ...(id === undefined ? {} : { msgID: id }),
    ...(revision === undefined ? {} : { expect: { lastSubjectSequence: revision } }),
  })
}

export async function findStream(manager: JetStreamManager, name: string) {
  try {
    return await manager.streams.info(name)
  } catch (error) {
    if (error instanceof JetStreamApiError && error.code === JetStreamApiCodes.StreamNotFound) return undefined
    throw error
  }
}

export async function makeStream(
  manager: JetStreamManager,
  mayCreate: boolean,
  config: { name: string; subjects: string[]; max_msgs_per_subject?: number },
): Promise<void> {
  if ((await findStream(manager, config.name)) !== undefined) return
  if (!mayCreate)
    throw new DeliveryError(
      'retry',
      `The stream ${config.name} (${config.subjects[0]}) is missing; make it, or allow options.create.`,
    )
  try {
    await manager.streams.add({ ...config, description: OURS })
  } catch (error) {
    // Another run was quicker.
    if ((await findStream(manager, config.name)) === undefined) throw error
  }
}
