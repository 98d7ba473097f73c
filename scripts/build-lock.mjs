import { closeSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'

/** Waits until this process holds the lock: a file with its process id. A lock of an ended process is taken over. Returns what releases it. */
export function takeLock(path) {
  for (;;) {
    try {
      const file = openSync(path, 'wx')
      writeFileSync(file, String(process.pid))
      closeSync(file)
      return () => rmSync(path, { force: true })
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
      if (!isHeld(path)) rmSync(path, { force: true })
      else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200)
    }
  }
}

function isHeld(path) {
  try {
    const holder = Number(readFileSync(path, 'utf8'))
    // Not written yet: the other process has just created it.
    return holder === 0 ? Date.now() - statSync(path).mtimeMs < 5000 : isRunning(holder)
  } catch {
    // The file is gone.
    return false
  }
}

/** Whether a process runs; also one of another user, which cannot be signalled. */
export function isRunning(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}
