import { keysOf } from '#platform/formats/keys-of.ts'
import type { Engine, QueueDefinitions, WakeUp } from '#platform/queue/engine.ts'
import { count, either, flag, payload, text } from '#platform/queue/job-payloads.ts'

/** The payload of each queue's jobs. */
export interface JobPayloads {
  maintenance: object
  deliver: { destinationId: string; appId: string; isFailing: boolean; runs: number }
  sync: { shard: number; profileId: string }
  alone: JobPayloads['sync'] | { destinationId: string }
}

export type QueueName = keyof JobPayloads
export type JobEngine = Engine<JobPayloads>
export type JobWakeUp<Queue extends QueueName> = WakeUp<JobPayloads[Queue]>

const sync = payload({ shard: count, profileId: text })

/** A job is a wake-up: it carries a key, and the work reads everything else from the row. */
export const QUEUES: QueueDefinitions<JobPayloads> = {
  maintenance: { slots: 1, read: payload({}) },
  deliver: { slots: 24, read: payload({ destinationId: text, appId: text, isFailing: flag, runs: count }) },
  sync: { slots: 32, read: sync },
  /** Jobs with which a worker died. One at a time, so that a second death is counted against the job that caused it. */
  alone: { slots: 1, read: either(sync, 'destinationId', payload({ destinationId: text })) },
}

export const QUEUE_NAMES: readonly QueueName[] = keysOf(QUEUES)
