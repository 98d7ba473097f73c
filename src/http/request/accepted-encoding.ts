/** The encodings that the client accepts (RFC 9110 12.5.3), in our order; without them the content is sent as it is. */
export function acceptedEncodings<const Encoding extends string>(
  header: string | undefined,
  offered: readonly Encoding[],
): Encoding[] {
  const accepted = new Map(
    (header ?? '').split(',').map((each) => {
      const [name = '', ...parameters] = each.toLowerCase().split(';')
      const weight = parameters.map((parameter) => parameter.trim()).find((parameter) => parameter.startsWith('q='))
      return [name.trim(), weight === undefined || Number(weight.slice(2)) > 0]
    }),
  )
  return offered.filter((encoding) => accepted.get(encoding) ?? accepted.get('*') ?? false)
}
