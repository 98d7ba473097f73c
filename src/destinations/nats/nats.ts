import { randomBytes } from 'node:crypto'
import { JetStreamApiCodes, JetStreamApiError } from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import { z } from 'zod'
import type { DeliveryRow } from '#model/destination.ts'
import { changeText } from '../change-text.ts'
import { checkedCheckpoint } from '../checked-checkpoint.ts'
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
import { explain, failing } from '../failure.ts'
import { ca, flagOption, storedOptions, textOption } from '../options.ts'
import { connectNats, natsAddress, natsWaitMs } from './address.ts'
import { findStream, makeStream, openConnection, publish, type StreamConnection } from './streams.ts'

/** So many messages are on their way at once; each item is among them once, so its own order holds whatever fails. */
const AT_ONCE = 256

/** Limit: characters of the subject pattern of a NATS destination; a longer one is answered with 400. */
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
  create: flagOption().default(true).describe('`true` unless set; with `false` the streams must be there'),
  ca,
})

/** JetStream: one message per change, acknowledged, told apart by its id. A second stream keeps how far each profile is. */
export const nats: Kind = {
  options,
  takesEvents: false,
  takesUnknownDeletes: false,
  checkAddress: (url) => void natsAddress(url),
  open: (deps, destination, secrets) =>
    openNats(deps, destination.id, secrets.url, storedOptions(options, destination.options)),
}

/** The words before the first place-holder. */
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
  const places = `${stream}_CHECKPOINT`
  const placeOf = (profileId: string) => `${prefix}_checkpoint.${destinationId}.${profileId}`
  let opened: Promise<StreamConnection> | undefined
  const clients = new Set<NatsConnection>()
  const connect = async (noteFault: (error: Error) => void) => {
    const client = await connectNats(deps, natsAddress(url), ca, noteFault)
    clients.add(client)
    void client.closed().then(() => clients.delete(client))
    return client
  }
  const connection = () => {
    opened ??= openConnection(connect, natsWaitMs(deps), () => (opened = undefined))
    return opened
  }
  const work = <Result>(task: (connection: StreamConnection) => Promise<Result>) =>
    failing(
      () => 'retry',
      async () => {
        const open = await connection()
        try {
          return await task(open)
        } catch (error) {
          throw open.refusal ?? error
        }
      },
    )

  async function positionOfProfile(
    open: StreamConnection,
    profileId: string,
  ): Promise<{ place: Checkpoint; revision: number } | undefined> {
    const found = await open.manager.streams.getMessage(places, { last_by_subj: placeOf(profileId) })
    if (found === null) return undefined
    const { seq, epoch, updatedAtMs } = found.json<Record<string, unknown>>()
    return { place: checkedCheckpoint(seq, epoch, updatedAtMs), revision: found.seq }
  }

  async function expectPosition(
    open: StreamConnection,
    { profileId, from, epoch }: Pick<Batch, 'from'> & Erasure,
  ): Promise<number> {
    const there = await positionOfProfile(open, profileId)
    if ((there?.place.epoch ?? 0) > epoch || (there?.place.seq ?? 0) < from) throw new CheckpointDiffers(there?.place)
    return there?.revision ?? 0
  }

  /** Only if nobody else has moved it since it was read. */
  async function movePosition(
    open: StreamConnection,
    profileId: string,
    seq: number,
    epoch: number,
    revision: number,
  ): Promise<void> {
    const place: Checkpoint = { seq, epoch, updatedAtMs: deps.clock.now() }
    try {
      await publish(open, placeOf(profileId), JSON.stringify(place), { revision })
    } catch (error) {
      if (error instanceof JetStreamApiError && error.code === JetStreamApiCodes.StreamWrongLastSequence)
        throw new CheckpointDiffers((await positionOfProfile(open, profileId))?.place)
      throw error
    }
  }

  async function sayErased(open: StreamConnection, profileId: string, epoch: number, id: string): Promise<void> {
    // Where subjects name the profile its messages can be told from others, and go.
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
        await makeStream(open, create, { name: stream, subjects: [`${prefix}.>`] })
        await makeStream(open, create, {
          name: places,
          subjects: [`${prefix}_checkpoint.>`],
          max_msgs_per_subject: 1,
        })
      }),
    test: () => test(connect, natsWaitMs(deps), { stream, create }),
    write: (batch) =>
      work(async (open) => {
        const { profile, rows, epoch, generation } = batch
        const revision = await expectPosition(open, { ...batch, profileId: profile.id })
        const messages = rows.map((row) => ({
          subject: subjectOf(namesOf(row, profile.service)),
          text: changeText(row),
          id: `${profile.id}:${row.id}:${row.seq}:${generation}`,
        }))
        const most = open.client.info!.max_payload - 1024
        // Before anything is sent, so that the others of the batch keep their order.
        const large = messages.find(({ text }) => text.length * 3 > most && Buffer.byteLength(text) > most)
        if (large !== undefined)
          throw new DeliveryError('reject', `The message is larger than the server takes (${most} bytes).`)
        // Who it is, at the start and when that changed.
        if (rows.length === 0 || revision === 0 || batch.includesProfile)
          await publish(
            open,
            profileSubject(profile.service, profile.id, 'profile'),
            JSON.stringify({ op: 'profile', seq: batch.upTo, profile }),
            { id: `${profile.id}:profile:${epoch}`, run: epoch },
          )
        for (let sent = 0; sent < messages.length; sent += AT_ONCE)
          await Promise.all(
            messages
              .slice(sent, sent + AT_ONCE)
              .map(({ subject, text, id }) => publish(open, subject, text, { id, run: epoch })),
          )
        try {
          await movePosition(open, profile.id, batch.upTo, epoch, revision)
        } catch (error) {
          // Erased while this was under way: whoever comes last says so again, behind what it has just said.
          if (error instanceof CheckpointDiffers && error.checkpoint?.seq === -1)
            await sayErased(open, profile.id, error.checkpoint.epoch, `${profile.id}:erase:after:${epoch}`)
          throw error
        }
      }),
    erase: (erasure) =>
      work(async (open) => {
        const { profileId, epoch } = erasure
        const revision = await expectPosition(open, { ...erasure, from: -1 })
        await sayErased(open, profileId, epoch, `${profileId}:erase:${epoch}`)
        await movePosition(open, profileId, -1, epoch, revision)
      }),
    drop: () =>
      work(async (open) => {
        for (const name of [stream, places]) {
          const found = await findStream(open, name)
          if (found?.isOurs) await open.manager.streams.delete(name)
        }
      }),
    close: async () => {
      // Whoever opened it heard of the failure; here it only has to be over.
      await opened?.catch(() => {})
      await Promise.all([...clients].map((client) => client.close()))
    },
  }
}

function namesOf(
  row: DeliveryRow,
  service: string,
): Record<'service' | 'type' | 'endpoint' | 'profile' | 'op', string> {
  // A deletion knows the endpoint only.
  const type = row.op === 'put' ? (row.types[0] ?? row.endpoint) : row.endpoint
  return { service, type, endpoint: row.endpoint, profile: row.profile, op: row.op }
}

async function test(
  connect: (noteFault: (error: Error) => void) => Promise<NatsConnection>,
  waitMs: number,
  { stream, create }: { stream: string; create: boolean },
): Promise<Finding[]> {
  const findings: Finding[] = []
  let open: StreamConnection | undefined
  try {
    open = await openConnection(connect, waitMs, () => {})
    findings.push({ check: 'connect', ok: true, detail: `NATS ${open.client.info?.version ?? ''}` })
    await open.manager.getAccountInfo()
    findings.push({ check: 'jetstream', ok: true, detail: 'JetStream is there' })
    const found = await findStream(open, stream)
    if (found !== undefined) findings.push({ check: 'rights', ok: true, detail: `the stream ${stream} is there` })
    else if (!create) findings.push({ check: 'rights', ok: false, detail: `the stream ${stream} is missing` })
    else {
      const name = `TRIBUTARY_TEST_${randomBytes(4).toString('hex')}`
      await open.manager.streams.add({ name, subjects: [name] })
      try {
        await publish(open, name, 'test')
      } finally {
        await open.manager.streams.delete(name)
      }
      findings.push({ check: 'rights', ok: true, detail: 'may make streams and publish; nothing was left behind' })
    }
  } catch (error) {
    const check = ['connect', 'jetstream', 'rights'][findings.length]!
    findings.push({ check, ok: false, detail: explain(open?.refusal ?? error) })
  } finally {
    await open?.client.close()
  }
  return findings
}
