import { readFileSync } from 'node:fs'

/** A process and those it started, as Linux tells; the process alone elsewhere. */
export function processTree(pid: number): number[] {
  let children: number[] = []
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    children = text.split(' ').filter(Boolean).map(Number)
  } catch {
    // Gone, or no such file on this system.
  }
  return [pid, ...children.flatMap(processTree)]
}

/** The supervisor first, so that it cannot tell the end of its workers from its own. */
export function signalTree(pid: number, signal: NodeJS.Signals): number[] {
  const tree = processTree(pid)
  for (const each of tree) {
    try {
      process.kill(each, signal)
    } catch {
      // It ended by itself a moment ago.
    }
  }
  return tree
}
