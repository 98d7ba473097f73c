import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'

/** Runs a change once at a time, keeps its failure for the page, and reads everything again afterwards. */
export function useAction() {
  const queries = useQueryClient()
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const [done, setDone] = useState<string>()
  const run = async (work: () => Promise<unknown>, said?: string): Promise<boolean> => {
    if (isBusy) return false
    setBusy(true)
    setError(undefined)
    setDone(undefined)
    try {
      await work()
      await queries.invalidateQueries()
      setDone(said)
      return true
    } catch (failure) {
      setError(failure)
      return false
    } finally {
      setBusy(false)
    }
  }
  return { run, isBusy, error, done }
}
