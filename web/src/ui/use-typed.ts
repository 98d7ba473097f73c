import { useEffect, useState } from 'react'

const PAUSE_MS = 200

/** The text of a search field: shown at once, and taken when the typing pauses. Back and links, which change what is taken, change the field too. */
export function useTyped(taken: string, take: (text: string) => void): [string, (text: string) => void] {
  const [text, setText] = useState(taken)
  const [known, setKnown] = useState(taken)
  if (taken !== known) {
    setKnown(taken)
    if (text.trim() !== taken) setText(taken)
  }
  useEffect(() => {
    if (text.trim() === taken) return undefined
    const timer = setTimeout(() => take(text.trim()), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text, taken, take])
  return [text, setText]
}
