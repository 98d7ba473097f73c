import { readdirSync, readFileSync } from 'node:fs'
import { Client } from 'pg'

/** The kernel counts in hundredths of a second. */
const TICKS_PER_SECOND = 100

/**
 * Processor time of this process and of all child processes that have ended. Only Linux tells the time of child processes;
 * elsewhere it is that of this process alone.
 */
export function cpuSeconds(): number {
  const ticks = ticksOf('self')
  if (ticks !== undefined) return (ticks.own + ticks.children) / TICKS_PER_SECOND
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}

/** Processor time of a database server on this machine since its start; 0 where it cannot be told. */
export async function serverCpuSeconds(url: string): Promise<number> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
    const server = ticksOf(String(rows[0]!.pid))?.parent
    if (server === undefined) return 0
    const main = ticksOf(server)
    const running = processes().filter((each) => each.parent === server)
    const ticks = (main?.own ?? 0) + (main?.children ?? 0) + running.reduce((sum, { own }) => sum + own, 0)
    return ticks / TICKS_PER_SECOND
  } finally {
    await client.end()
  }
}

interface Ticks {
  parent: string
  own: number
  /** Of child processes that have ended. */
  children: number
}

function processes(): Ticks[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => ticksOf(pid) ?? [])
}

function ticksOf(pid: string): Ticks | undefined {
  try {
    // The name of the program is in parentheses and may contain spaces.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ')
    const [user, system, childUser, childSystem] = fields.slice(11, 15).map(Number) as [number, number, number, number]
    return { parent: fields[1]!, own: user + system, children: childUser + childSystem }
  } catch {
    // The process has ended, or this is not Linux.
    return undefined
  }
}
