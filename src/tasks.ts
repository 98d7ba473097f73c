import type { TaskHandler } from '#base/isolation/attend-supervisor.ts'
import type { JobLedger } from '#base/isolation/job-ledger.ts'
import type { Lane } from '#base/isolation/lane.ts'
import { WorkerDied } from '#base/isolation/protocol.ts'
import { removeDestination } from '#flows/deliver/manage.ts'
import { deliveryTimesOf } from '#flows/deliver/need.ts'
import { tryDestination } from '#flows/deliver/try-out.ts'
import { verifyDestination } from '#flows/deliver/verify.ts'
import { type JudgeRefusal, judgeRefusal, type RawRefusal } from '#flows/proxy/judge-refusal.ts'
import { type PageText, parsePage, type RawPage, type ReadPage } from '#flows/proxy/parse-page.ts'
import type { Tasks } from '#http/tasks.ts'
import type { JobSubject } from '#model/deaths.ts'
import type { Destination } from '#model/destination.ts'
import { ApiError } from '#model/errors.ts'
import { type Recovery, UpstreamError } from '#upstream/errors.ts'
import type { Upstream, UpstreamAnswer, UpstreamRequest } from '#upstream/send.ts'
import type { Delivering } from './delivering.ts'
import { type Outcome, outcomeOf, valueOf } from './task-errors.ts'

/** Limit: bytes of a service's response that the request process takes from a worker to parse; more is refused. */
const MAX_REQUEST_PROCESS_BYTES = 256 * 1024

/** The same work without a worker: for one process alone, and inside the workers. */
export function createTasks(need: Delivering): Tasks {
  return {
    tryDestination: (destination, signal) => tryDestination(need, destination, signal),
    verifyDestination: (destination, options, actor) => {
      const untilMs = need.clock.now() + deliveryTimesOf(need).verifyMs
      return verifyDestination(need, destination, { ...options, untilMs }, actor)
    },
    removeDestination: (destination, dropTables, actor) => removeDestination(need, destination, dropTables, actor),
  }
}

/** What a worker does for the request process. */
export function taskHandlers(need: Delivering, ledger: JobLedger): Record<string, TaskHandler> {
  const tasks = createTasks(need)
  return {
    send: (input, signal) => outcomeOf(need.upstream.send({ ...(input as UpstreamRequest), signal })),
    readPage: (input) => outcomeOf(parsePage(need, input as RawPage)),
    judgeRefusal: (input) => outcomeOf(judgeRefusal(need, input as RawRefusal)),
    destination: (input, signal) => {
      const { task, destination, given } = input as DestinationTask
      const subject: JobSubject = { kind: 'destination', destinationId: destination.id }
      const run = tasks[task] as (destination: Destination, ...given: unknown[]) => Promise<unknown>
      return outcomeOf(ledger.hold(subject, () => run(destination, ...given, signal)))
    },
  }
}

interface DestinationTask {
  task: keyof Tasks
  destination: Destination
  given: unknown[]
}

/** Has the work done by workers. A destination that a worker died of has the `alone` one. */
export function createRemoteTasks(need: Delivering, lanes: { tasks: Lane; alone: Lane }): Tasks {
  const run = async (
    task: keyof Tasks,
    destination: Destination,
    given: unknown[],
    signal?: AbortSignal,
  ): Promise<unknown> => {
    const lane = destination.aloneUntil > need.clock.now() ? lanes.alone : lanes.tasks
    try {
      return valueOf((await lane.run('destination', { task, destination, given }, signal)) as Outcome)
    } catch (error) {
      if (!(error instanceof WorkerDied)) throw error
      throw new ApiError('destination_failed', `The process that talked to the destination was ended: ${error.message}`)
    }
  }
  return {
    tryDestination: (destination, signal) =>
      run('tryDestination', destination, [], signal) as ReturnType<Tasks['tryDestination']>,
    verifyDestination: (destination, ...given) =>
      run('verifyDestination', destination, given) as ReturnType<Tasks['verifyDestination']>,
    removeDestination: async (destination, dropTables, actor) => {
      // Without tables to drop, nobody has to be asked.
      if (dropTables) await run('removeDestination', destination, [dropTables, actor])
      else await removeDestination(need, destination, dropTables, actor)
    },
  }
}

/** Whole responses are fetched and decoded by a worker. Streams of the proxy pass through as they come, and nobody parses them. */
export function withRemoteSend(upstream: Upstream, lane: Lane): Upstream {
  const sendOnce = async ({ signal, ...request }: UpstreamRequest): Promise<UpstreamAnswer> => {
    const maxBytes = Math.min(request.maxBytes ?? MAX_REQUEST_PROCESS_BYTES, MAX_REQUEST_PROCESS_BYTES)
    return valueOf((await lane.run('send', { ...request, maxBytes }, signal)) as Outcome) as UpstreamAnswer
  }
  return {
    ...upstream,
    send: async (request) => {
      try {
        return await sendOnce(request).catch((error: unknown) => {
          // Somebody else's call may have ended the worker; what only reads can be asked once more.
          if (error instanceof WorkerDied && request.method === 'GET') return sendOnce(request)
          throw error
        })
      } catch (error) {
        if (!(error instanceof WorkerDied)) throw error
        throw new UpstreamError('retry', 'The call ended with its worker process', {
          reason: 'service_unreachable',
          cause: error,
        })
      }
    },
  }
}

export function remoteReadPage(lane: Lane): ReadPage {
  return async (page, signal) => {
    try {
      return valueOf((await lane.run('readPage', page, signal)) as Outcome) as PageText | undefined
    } catch (error) {
      if (!(error instanceof WorkerDied)) throw error
      // Its death is logged and counted by the supervisor; a page that ends workers is another thing than no page.
      throw new UpstreamError('retry', 'The page ended with the worker process that read it', {
        reason: 'unexpected_answer',
        cause: error,
      })
    }
  }
}

/** A refusal that ends its worker says nothing: status and headers have to do. */
export function remoteJudgeRefusal(lane: Lane): JudgeRefusal {
  return async (refusal) => {
    try {
      return valueOf((await lane.run('judgeRefusal', refusal)) as Outcome) as Recovery | undefined
    } catch (error) {
      if (error instanceof WorkerDied) return undefined
      throw error
    }
  }
}
