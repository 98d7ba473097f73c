import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { requireInstalled } from './packages.ts'

export interface BlueskyAddresses {
  pdsUrl: string
  plcUrl: string
  /** The address of the chat service; the data server finds it by its name. */
  chatUrl: string
  appViewUrl?: string
}

export interface BlueskyProcess extends BlueskyAddresses {
  /** Waits until everything written is indexed. */
  settle(): Promise<void>
  close(): Promise<void>
}

interface Reply {
  id: number
  error?: string
}

const program = fileURLToPath(new URL('bluesky/server.mjs', import.meta.url))

/** Starts the network in a child process, with a temporary folder that is removed with it. */
export async function startBlueskyProcess(settings: object, env: Record<string, string>): Promise<BlueskyProcess> {
  await requireInstalled('bluesky')
  const folder = await mkdtemp(join(tmpdir(), 'tributary-bluesky-'))
  const child = fork(program, [JSON.stringify({ ...settings, folder })], {
    env: { ...process.env, ...env, TMPDIR: folder, LOG_ENABLED: 'false', NODE_ENV: 'test' },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const ended = once(child, 'exit')
  const output = keepLastOutput(child)
  const removeFolder = () => rm(folder, { recursive: true, force: true, maxRetries: 3 })

  const first = await Promise.race([once(child, 'message'), ended.then(() => undefined)])
  if (first === undefined) {
    await removeFolder()
    throw new Error(`the Bluesky network did not start: ${output()}`)
  }
  let lastId = 0
  async function sendCommand(command: 'settle' | 'close'): Promise<void> {
    lastId += 1
    const reply = replyTo(child, lastId)
    child.send({ id: lastId, command })
    const { error } = await Promise.race([reply, ended.then(() => ({ error: `the network ended: ${output()}` }))])
    if (error !== undefined) throw new Error(error)
  }

  return {
    ...(first[0] as BlueskyAddresses),
    settle: () => sendCommand('settle'),
    async close() {
      try {
        if (child.connected) await sendCommand('close')
      } finally {
        child.kill('SIGKILL')
        await ended
        await removeFolder()
      }
    },
  }
}

function replyTo(child: ChildProcess, id: number): Promise<{ error?: string }> {
  return new Promise((resolve) => {
    const hear = (message: unknown) => {
      if ((message as Reply).id !== id) return
      child.off('message', hear)
      resolve(message as Reply)
    }
    child.on('message', hear)
  })
}

function keepLastOutput(child: ChildProcess): () => string {
  let text = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      text = (text + chunk.toString()).slice(-4000)
    })
  }
  return () => text
}
