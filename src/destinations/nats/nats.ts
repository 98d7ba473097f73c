import { randomBytes } from 'node:crypto'
import type { NatsConnection } from '@nats-io/transport-node'
import { z } from 'zod'
import type { DeliveryRow } from '#model/apps/destination.ts'
import { changeText } from '../change-text.ts'
import { checkpointOf } from '../checkpoint.ts'
import {
  type Batch,
  type Checkpoint,
  CheckpointDiffers,
  type Connection,
  DeliveryError,
  type Erasure,
  type Finding,
  type Kind,
  type KindDeps,
} from '../contract.ts'
import { countRemovals } from '../count-removals.ts'
import { explain, withDeliveryErrors } from '../driver-errors.ts'
import { ca, flagOption, storedOptions, textOption } from '../options.ts'
import { natsAddress } from './address.ts'
import { connectNats, natsWaitMs } from './connect.ts'
import { jetstream } from './driver.ts'
import { ensureStream, findStream, openConnection, publish, type StreamConnection } from './streams.ts'

/** Messages that are published concurrently. */
const CONCURRENT_MESSAGES = 256

/** Limit: characters of the subject pattern of a NATS destination; a longer one is refused with 400. */
const MAX_SUBJECT = 256
const SUBJECT = /^[\w-]+(?:\.(?:[\w-]|\{(?:service|type|endpoint|profile|op)\})+)+$/

const options = z.strictObject({
  stream: textOption(/^[A-Za-z0-9_-]{1,60}$/, 'must be letters, digits, - and _')
    .default('TRIBUTARY')
    .describe('`TRIBUTARY` unless set'),
  subject: z
    .string({ error: 'must be a text' })
    .max(MAX_SUBJECT, { error: `must have at most ${MAX_SUBJECT} characters`, abort: true })
    .regex(SUBJECT, { error: 'must look like tributary.{service}.{type}; also {endpoint}, {profile}, {op}' })
    .default('tributary.{service}.{type}')
    .describe(
      "`tributary.{service}.{type}` unless set; also `{endpoint}`, `{profile}`, `{op}`. With `{profile}` in it, erasures purge a person's messages",
    ),
  create: flagOption().default(true).describe('`true` unless set; with `false` the streams must exist'),
  ca,
})

/** JetStream: one acknowledged message per change, deduplicated by its id. A second stream has the checkpoint of each profile. */
export const nats: Kind = {
  options,
  takesEvents: false,
  takesUnknownDeletes: false,
  checkAddress: (url) => natsAddress(url),
  open: (deps, destination, secrets) =>
    openNats(deps, destination.id, secrets.url, storedOptions(options, destination.options)),
}

/** The tokens before the first placeholder. */
function prefixOf(subject: string): string {
  const words = subject.split('.')
  const first = words.findIndex((each) => each.includes('{'))
  return words.slice(0, first < 0 ? words.length : first).join('.')
}

function openNats(
  deps: KindDeps,
  destinationId: string,
  url: string,
  { stream, subject, create, ca }: z.output<typeof options>,
): Connection {
  const prefix = prefixOf(subject)
  const checkpointStream = `${stream}_CHECKPOINT`
  const checkpointSubject = (profileId: string) => `${prefix}_checkpoint.${destinationId}.${profileId}`
  let opened: Promise<StreamConnection> | undefined
  const clients = new Set<NatsConnection>()
  const connect = async (onFault: (error: Error) => void) => {
    const client = await connectNats(deps, natsAddress(url), ca, onFault)
    clients.add(client)
    void client.closed().then(() => clients.delete(client))
    return client
  }
  const connection = () => {
    opened ??= openConnection(connect, natsWaitMs(deps), () => (opened = undefined))
    return opened
  }
  const work = <Result>(task: (connection: StreamConnection) => Promise<Result>) =>
    withDeliveryErrors(
      () => 'retry',
      async () => {
        const open = await connection()
        try {
          return await task(open)
        } catch (error) {
          throw open.fault ?? error
        }
      },
    )

  async function findCheckpoint(
    open: StreamConnection,
    profileId: string,
  ): Promise<{ checkpoint: Checkpoint; revision: number } | undefined> {
    const found = await open.manager.streams.getMessage(checkpointStream, {
      last_by_subj: checkpointSubject(profileId),
    })
    if (found === null) return undefined
    const { seq, epoch, updatedAtMs } = found.json<Record<string, unknown>>()
    return { checkpoint: checkpointOf({ seq, epoch, updatedAtMs }), revision: found.seq }
  }

  /** Returns the revision of the checkpoint; 0 when there is none. */
  async function expectCheckpoint(
    open: StreamConnection,
    { profileId, from, epoch }: Pick<Batch, 'from'> & Erasure,
  ): Promise<number> {
    const { checkpoint, revision } = (await findCheckpoint(open, profileId)) ?? { checkpoint: undefined, revision: 0 }
    if ((checkpoint?.epoch ?? 0) > epoch || (checkpoint?.seq ?? 0) < from) throw new CheckpointDiffers(checkpoint)
    return revision
  }

  /** Fails when the checkpoint was changed since it was read. */
  async function moveCheckpoint(
    open: StreamConnection,
    profileId: string,
    seq: number,
    epoch: number,
    revision: number,
  ): Promise<void> {
    const checkpoint: Checkpoint = { seq, epoch, updatedAtMs: deps.clock.now() }
    try {
      await publish(open, checkpointSubject(profileId), JSON.stringify(checkpoint), { revision })
    } catch (error) {
      const { JetStreamApiCodes, JetStreamApiError } = jetstream()
      if (error instanceof JetStreamApiError && error.code === JetStreamApiCodes.StreamWrongLastSequence)
        throw new CheckpointDiffers((await findCheckpoint(open, profileId))?.checkpoint)
      throw error
    }
  }

  async function publishErasure(open: StreamConnection, profileId: string, epoch: number, id: string): Promise<void> {
    // If subjects contain the profile, its messages can be purged.
    if (subject.includes('{profile}'))
      await open.manager.streams.purge(stream, {
        filter: subject.replaceAll('{profile}', profileId).replaceAll(/[^.]*\{\w+\}[^.]*/g, '*'),
      })
    const text = JSON.stringify({ op: 'erase', profile: profileId, run: epoch })
    await publish(open, profileSubject('_', profileId, 'erase'), text, { id, run: epoch })
  }

  const subjectOf = (row: Record<'service' | 'type' | 'endpoint' | 'profile' | 'op', string>) =>
    subject.replaceAll(/\{(\w+)\}/g, (_, name: keyof typeof row) => row[name].replaceAll(/[^\w-]/g, '_'))

  const profileSubject = (service: string, profile: string, op: string) =>
    subjectOf({ service, type: '_profile', endpoint: '_profile', profile, op })

  return {
    prepare: () =>
      work(async (open) => {
        await ensureStream(open, create, { name: stream, subjects: [`${prefix}.>`] })
        await ensureStream(open, create, {
          name: checkpointStream,
          subjects: [`${prefix}_checkpoint.>`],
          max_msgs_per_subject: 1,
        })
      }),
    test: () => test(connect, natsWaitMs(deps), { stream, create }),
    write: (batch) =>
      work(async (open) => {
        const { profile, rows, epoch, generation } = batch
        const revision = await expectCheckpoint(open, { ...batch, profileId: profile.id })
        const messages = rows.map((row) => ({
          subject: subjectOf(namesOf(row, profile.service)),
          text: changeText(row),
          id: `${profile.id}:${row.id}:${row.seq}:${generation}`,
        }))
        const maxBytes = open.client.info!.max_payload - 1024
        // Checked before anything is sent, so that the other messages of the batch keep their order.
        const isTooLarge = messages.some(({ text }) => text.length * 3 > maxBytes && Buffer.byteLength(text) > maxBytes)
        if (isTooLarge)
          throw new DeliveryError('reject', `The message is larger than the server accepts (${maxBytes} bytes).`)
        // The profile is sent first, and again when it changed.
        if (rows.length === 0 || revision === 0 || batch.includesProfile)
          await publish(
            open,
            profileSubject(profile.service, profile.id, 'profile'),
            JSON.stringify({ op: 'profile', seq: batch.upTo, profile }),
            { id: `${profile.id}:profile:${epoch}`, run: epoch },
          )
        // Each item is in a batch once, so the order of its messages holds whatever fails.
        for (let sent = 0; sent < messages.length; sent += CONCURRENT_MESSAGES)
          await Promise.all(
            messages
              .slice(sent, sent + CONCURRENT_MESSAGES)
              .map(({ subject, text, id }) => publish(open, subject, text, { id, run: epoch })),
          )
        try {
          await moveCheckpoint(open, profile.id, batch.upTo, epoch, revision)
        } catch (error) {
          // Erased during this write: the last writer publishes the erasure again, after its own messages.
          if (error instanceof CheckpointDiffers && error.checkpoint?.seq === -1)
            await publishErasure(open, profile.id, error.checkpoint.epoch, `${profile.id}:erase:after:${epoch}`)
          throw error
        }
      }),
    erase: (erasure) =>
      work(async (open) => {
        const { profileId, epoch } = erasure
        const revision = await expectCheckpoint(open, { ...erasure, from: -1 })
        await publishErasure(open, profileId, epoch, `${profileId}:erase:${epoch}`)
        await moveCheckpoint(open, profileId, -1, epoch, revision)
      }),
    drop: () =>
      countRemovals('of its streams', (removed) =>
        work(async (open) => {
          for (const name of [stream, checkpointStream]) {
            const found = await findStream(open, name)
            if (!found?.isCreatedByUs) continue
            await open.manager.streams.delete(name)
            removed()
          }
        }),
      ),
    close: async () => {
      // The failure was reported to the caller that opened it.
      await opened?.catch(() => {})
      await Promise.all([...clients].map((client) => client.close()))
    },
  }
}

function namesOf(
  row: DeliveryRow,
  service: string,
): Record<'service' | 'type' | 'endpoint' | 'profile' | 'op', string> {
  // A delete has no types, only the endpoint.
  const type = row.op === 'put' ? (row.types[0] ?? row.endpoint) : row.endpoint
  return { service, type, endpoint: row.endpoint, profile: row.profile, op: row.op }
}

async function test(
  connect: (onFault: (error: Error) => void) => Promise<NatsConnection>,
  waitMs: number,
  { stream, create }: { stream: string; create: boolean },
): Promise<Finding[]> {
  const findings: Finding[] = []
  let open: StreamConnection | undefined
  try {
    open = await openConnection(connect, waitMs, () => {})
    findings.push({ check: 'connect', ok: true, detail: `NATS ${open.client.info?.version ?? ''}` })
    await open.manager.getAccountInfo()
    findings.push({ check: 'jetstream', ok: true, detail: 'JetStream is enabled' })
    const found = await findStream(open, stream)
    if (found !== undefined) findings.push({ check: 'rights', ok: true, detail: `the stream ${stream} exists` })
    else if (!create) findings.push({ check: 'rights', ok: false, detail: `the stream ${stream} is missing` })
    else {
      const name = `TRIBUTARY_TEST_${randomBytes(4).toString('hex')}`
      await open.manager.streams.add({ name, subjects: [name] })
      try {
        await publish(open, name, 'test')
      } finally {
        await open.manager.streams.delete(name)
      }
      findings.push({ check: 'rights', ok: true, detail: 'may create streams and publish; nothing was left behind' })
    }
  } catch (error) {
    const check = ['connect', 'jetstream', 'rights'][findings.length]!
    findings.push({ check, ok: false, detail: explain(open?.fault ?? error) })
  } finally {
    await open?.client.close()
  }
  return findings
}
