/** Runs `work`, then everything it deferred, in the opposite order: also after a failure, Ctrl-C or SIGTERM. */
export async function withCleanup<Result>(work: (cleanup: AsyncDisposableStack) => Promise<Result>): Promise<Result> {
  const cleanup = new AsyncDisposableStack()
  const stop = (signal: NodeJS.Signals) => {
    process.stderr.write(`${signal}: removing what was created …\n`)
    void cleanup.disposeAsync().finally(() => process.exit(signal === 'SIGINT' ? 130 : 143))
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  try {
    return await work(cleanup)
  } finally {
    await cleanup.disposeAsync()
    process.off('SIGINT', stop)
    process.off('SIGTERM', stop)
  }
}
