const SECOND_LEVEL = /^(?:co|com|org|net|gov|ac|edu|gob|go|or|ne)$/

/** The name that a company registered: `example.co.uk` of `https://api.example.co.uk/v1`. */
export function domainOf(address: string): string {
  const labels = new URL(address).hostname.split('.')
  const isSecondLevel = labels.length > 2 && labels.at(-1)!.length === 2 && SECOND_LEVEL.test(labels.at(-2)!)
  return labels.slice(isSecondLevel ? -3 : -2).join('.')
}
