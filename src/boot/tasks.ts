import { type ClassifyRefusal, classifyRefusal, type RawRefusal, type Refusal } from '#flows/proxy/classify-refusal.ts'
import { type PageText, parsePage, type RawPage, type ReadPage } from '#flows/proxy/parse-page.ts'
import { deliveryTimesOf } from '#flows/push/deps.ts'
import { removeDestination } from '#flows/push/manage/destinations.ts'
import { type Draft, tryDestination, tryDraft } from '#flows/push/manage/dry-run.ts'
import { verifyDestination } from '#flows/push/manage/verify.ts'
import { readUpload, type UploadContent } from '#flows/uploads/read-upload.ts'
import type { Tasks } from '#http/server/tasks.ts'
import type { Destination } from '#model/apps/destination.ts'
import { ApiError } from '#model/errors.ts'
import type { JobSubject } from '#model/sync/deaths.ts'
import type { JobLedger } from '#platform/isolation/job-ledger.ts'
import type { Lane } from '#platform/isolation/lane.ts'
import { WorkerDied } from '#platform/isolation/protocol.ts'
import type { UploadKey } from '#store/sync/uploads.ts'
import { UpstreamError } from '#upstream/request/errors.ts'
import type { Upstream, UpstreamRequest, UpstreamResponse } from '#upstream/request/send.ts'
import type { DeliveryDependencies } from './delivery-deps.ts'
import { type Outcome, outcomeOf, valueOf } from './task-errors.ts'

/** Limit: bytes of a service's response that the request process takes from a worker to parse; more is refused. */
const MAX_REQUEST_PROCESS_BYTES = 256 * 1024

/** Runs the tasks in this process: for inline workers, and inside worker processes. */
export function createTasks(deps: DeliveryDependencies): Tasks {
  return {
    readUpload: (upload, service) => readUpload(deps, upload, service),
    tryDestination: (destination, signal) => tryDestination(deps, destination, signal),
    tryDraft: (draft, signal) => tryDraft(deps, draft, signal),
    verifyDestination: (destination, options, actor) => {
      const untilMs = deps.clock.now() + deliveryTimesOf(deps).verifyMs
      return verifyDestination(deps, destination, { ...options, untilMs }, actor)
    },
    removeDestination: (destination, dropTables, actor) => removeDestination(deps, destination, dropTables, actor),
  }
}

/** The tasks that a worker runs for the request process. */
export function taskHandlers(deps: DeliveryDependencies, ledger: JobLedger): Handlers {
  const tasks = createTasks(deps)
  const track = <Value>({ id }: Destination, work: () => Promise<Value>): Promise<Outcome<Value>> => {
    const subject: JobSubject = { kind: 'destination', destinationId: id }
    return outcomeOf(ledger.track(subject, work))
  }
  return {
    send: (input, signal) => outcomeOf(deps.upstream.send({ ...input, signal })),
    readPage: (input) => outcomeOf(parsePage(deps, input)),
    classifyRefusal: (input) => outcomeOf(classifyRefusal(deps, input)),
    tryDestination: ({ destination }, signal) => track(destination, () => tasks.tryDestination(destination, signal)),
    // Nobody else reads this upload, so nobody has to know that a worker died with it.
    readUpload: ({ upload, service }) => outcomeOf(tasks.readUpload(upload, service)),
    // It is not stored, so nobody has to know that a worker died with it.
    tryDraft: ({ draft }, signal) => outcomeOf(tasks.tryDraft(draft, signal)),
    verifyDestination: ({ destination, options, actor }) =>
      track(destination, () => tasks.verifyDestination(destination, options, actor)),
    removeDestination: ({ destination, actor }) =>
      track(destination, () => tasks.removeDestination(destination, true, actor)),
  }
}

/** Input and result of each task. */
interface RemoteTasks {
  send: { input: UpstreamRequest; value: UpstreamResponse }
  readPage: { input: RawPage; value: PageText | undefined }
  classifyRefusal: { input: RawRefusal; value: Refusal }
  readUpload: { input: { upload: UploadKey; service: string }; value: UploadContent }
  tryDestination: { input: { destination: Destination }; value: Awaited<ReturnType<Tasks['tryDestination']>> }
  tryDraft: { input: { draft: Draft }; value: Awaited<ReturnType<Tasks['tryDraft']>> }
  verifyDestination: {
    input: { destination: Destination; options: Parameters<Tasks['verifyDestination']>[1]; actor: string }
    value: Awaited<ReturnType<Tasks['verifyDestination']>>
  }
  removeDestination: { input: { destination: Destination; actor: string }; value: void }
}
type Handlers = {
  [Name in keyof RemoteTasks]: (
    input: RemoteTasks[Name]['input'],
    signal: AbortSignal,
  ) => Promise<Outcome<RemoteTasks[Name]['value']>>
}

/** Restores the type of a result from another process; both processes run the same release. */
async function runRemote<Name extends keyof RemoteTasks>(
  lane: Lane,
  name: Name,
  input: RemoteTasks[Name]['input'],
  signal?: AbortSignal,
): Promise<RemoteTasks[Name]['value']> {
  return valueOf((await lane.run(name, input, signal)) as Outcome<RemoteTasks[Name]['value']>)
}

/** Runs the tasks in workers. A destination with which a worker died uses the `alone` worker. */
export function createRemoteTasks(deps: DeliveryDependencies, lanes: { tasks: Lane; alone: Lane }): Tasks {
  const run = async <Name extends 'tryDestination' | 'verifyDestination' | 'removeDestination'>(
    task: Name,
    input: RemoteTasks[Name]['input'],
    signal?: AbortSignal,
  ): Promise<RemoteTasks[Name]['value']> => {
    const lane = input.destination.aloneUntil > deps.clock.now() ? lanes.alone : lanes.tasks
    return runRemote(lane, task, input, signal).catch(refuseAfterDeath)
  }
  return {
    readUpload: async (upload, service) => {
      try {
        return await runRemote(lanes.tasks, 'readUpload', { upload, service })
      } catch (error) {
        if (!(error instanceof WorkerDied)) throw error
        // Whatever is in it, it cannot be read here.
        return { kind: 'refused', problem: 'too_large' }
      }
    },
    tryDestination: (destination, signal) => run('tryDestination', { destination }, signal),
    tryDraft: (draft, signal) => runRemote(lanes.tasks, 'tryDraft', { draft }, signal).catch(refuseAfterDeath),
    verifyDestination: (destination, options, actor) => run('verifyDestination', { destination, options, actor }),
    removeDestination: async (destination, dropTables, actor) => {
      // Without tables to drop, the destination is not called.
      if (dropTables) await run('removeDestination', { destination, actor })
      else await removeDestination(deps, destination, dropTables, actor)
    },
  }
}

function refuseAfterDeath(error: unknown): never {
  if (!(error instanceof WorkerDied)) throw error
  throw new ApiError('destination_failed', `The worker process that talked to the destination ended: ${error.message}`)
}

/** Has a worker fetch and decode whole responses. Streams of the proxy pass through this process, which does not parse them. */
export function withRemoteSend(upstream: Upstream, lane: Lane): Upstream {
  const sendOnce = async ({ signal, ...request }: UpstreamRequest): Promise<UpstreamResponse> => {
    const maxBytes = Math.min(request.maxBytes ?? MAX_REQUEST_PROCESS_BYTES, MAX_REQUEST_PROCESS_BYTES)
    return runRemote(lane, 'send', { ...request, maxBytes }, signal)
  }
  return {
    ...upstream,
    send: async (request) => {
      try {
        return await sendOnce(request).catch((error: unknown) => {
          // Another call may have killed the worker; a GET can be repeated.
          if (error instanceof WorkerDied && request.method === 'GET') return sendOnce(request)
          throw error
        })
      } catch (error) {
        if (!(error instanceof WorkerDied)) throw error
        throw new UpstreamError('retry', 'The worker process that made the call died', {
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
      return await runRemote(lane, 'readPage', page, signal)
    } catch (error) {
      if (!(error instanceof WorkerDied)) throw error
      // The supervisor logs and counts the death. A page that kills workers must not look like a missing page.
      throw new UpstreamError('retry', 'The worker process that read the page died', {
        reason: 'unexpected_answer',
        cause: error,
      })
    }
  }
}

/** If classifying kills the worker, the caller uses status and headers only. */
export function remoteClassifyRefusal(lane: Lane): ClassifyRefusal {
  return async (refusal) => {
    try {
      return await runRemote(lane, 'classifyRefusal', refusal)
    } catch (error) {
      if (error instanceof WorkerDied) return { recovery: undefined, stated: undefined }
      throw error
    }
  }
}
