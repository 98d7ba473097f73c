/** Parses JSON; integers that a JavaScript number cannot hold stay text, so that their last digits are compared. */
export function parseExactly(text: string): unknown {
  if (!/\d{16}/.test(text)) return JSON.parse(text)
  const exact = (_key: string, value: unknown, { source }: { source: string }) =>
    typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value) ? `integer ${source}` : value
  return JSON.parse(text, exact as (key: string, value: unknown) => unknown)
}
