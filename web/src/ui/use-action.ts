import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query'

interface Action {
  /** The beginnings of the keys of what it changes, which is read again. */
  changes: readonly QueryKey[]
  work: () => Promise<unknown>
  said: string | undefined
}

/** Runs a change once at a time, keeps its failure for the page, and reads again what it changes. */
export function useAction() {
  const readAgain = useReadAgain()
  const { mutateAsync, isPending, error, data } = useMutation({
    mutationFn: async ({ changes, work, said }: Action) => {
      await work()
      await readAgain(changes)
      return said
    },
    // Without a connection the request fails, and the page says so.
    networkMode: 'always',
  })
  const run = async (changes: Action['changes'], work: Action['work'], said?: string): Promise<boolean> => {
    if (isPending) return false
    // The page shows the failure from `error`.
    return mutateAsync({ changes, work, said }).then(
      () => true,
      () => false,
    )
  }
  return { run, isBusy: isPending, error: error ?? undefined, done: data }
}

/** Reads again what a change concerns: at once what is shown, the rest when it is shown next. */
export function useReadAgain(): (changes: readonly QueryKey[]) => Promise<unknown> {
  const queries = useQueryClient()
  return (changes) => Promise.all(changes.map((queryKey) => queries.invalidateQueries({ queryKey })))
}
