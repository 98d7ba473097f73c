import { readFileSync } from 'node:fs'

/** A process and its descendants, read from /proc on Linux; elsewhere the process alone. */
export function processTree(pid: number): number[] {
  let children: number[] = []
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    children = text.split(' ').filter(Boolean).map(Number)
  } catch {
    // The process has ended, or this system has no /proc.
  }
  return [pid, ...children.flatMap(processTree)]
}

/** The supervisor first, so that it does not restart its workers. */
export function signalTree(pid: number, signal: NodeJS.Signals): number[] {
  const tree = processTree(pid)
  for (const each of tree) {
    try {
      process.kill(each, signal)
    } catch {
      // It ended by itself meanwhile.
    }
  }
  return tree
}
