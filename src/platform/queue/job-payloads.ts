/** A job whose payload lacks what its queue requires: no retry can help. */
export class MalformedJob extends Error {
  constructor(fields: string[]) {
    super(`Fields missing or invalid in the payload: ${fields.join(', ')}`)
    this.name = 'MalformedJob'
  }
}

/** Reads one field; undefined when its value is invalid. */
type ReadField<Value> = (value: unknown) => Value | undefined

export const text: ReadField<string> = (value) => (typeof value === 'string' && value !== '' ? value : undefined)
export const count: ReadField<number> = (value) =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined
export const flag: ReadField<boolean> = (value) => (typeof value === 'boolean' ? value : undefined)

type Fields = Record<string, ReadField<unknown>>
type Payload<Shape extends Fields> = { [Name in keyof Shape]: NonNullable<ReturnType<Shape[Name]>> }

/** Reads the payload of a job, or throws `MalformedJob`. */
export type ReadPayload<Value> = (fields: Readonly<Record<string, unknown>>) => Value

/** Ignores unknown fields: during a rolling upgrade a newer release may send more. */
export function payload<Shape extends Fields>(shape: Shape): ReadPayload<Payload<Shape>> {
  return (fields) => {
    const read = Object.entries(shape).map(([name, readField]) => [name, readField(fields[name])] as const)
    const invalid = read.filter(([, value]) => value === undefined).map(([name]) => name)
    if (invalid.length > 0) throw new MalformedJob(invalid)
    return Object.fromEntries(read) as Payload<Shape>
  }
}

/** The second form if `field`, which only the second form has, is present. */
export function either<One, Other>(
  one: ReadPayload<One>,
  field: string,
  other: ReadPayload<Other>,
): ReadPayload<One | Other> {
  return (fields) => (field in fields ? other(fields) : one(fields))
}
