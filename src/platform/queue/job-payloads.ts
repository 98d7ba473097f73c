/** A job that carries something else than its queue's work reads: nobody can run it, now or later. */
export class MalformedJob extends Error {
  constructor(fields: string[]) {
    super(`Missing or wrong in the payload: ${fields.join(', ')}`)
    this.name = 'MalformedJob'
  }
}

/** Reads one field; undefined when it is not what it must be. */
type ReadField<Value> = (value: unknown) => Value | undefined

export const text: ReadField<string> = (value) => (typeof value === 'string' && value !== '' ? value : undefined)
export const count: ReadField<number> = (value) =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined
export const flag: ReadField<boolean> = (value) => (typeof value === 'boolean' ? value : undefined)

type Fields = Record<string, ReadField<unknown>>
type Payload<Shape extends Fields> = { [Name in keyof Shape]: NonNullable<ReturnType<Shape[Name]>> }

/** Reads what a job carries, or throws `MalformedJob`. */
export type ReadPayload<Value> = (given: Readonly<Record<string, unknown>>) => Value

/** What it does not know it leaves out: in a rolling upgrade a newer release may send more. */
export function payload<Shape extends Fields>(shape: Shape): ReadPayload<Payload<Shape>> {
  return (given) => {
    const read = Object.entries(shape).map(([name, readField]) => [name, readField(given[name])] as const)
    const wrong = read.filter(([, value]) => value === undefined).map(([name]) => name)
    if (wrong.length > 0) throw new MalformedJob(wrong)
    return Object.fromEntries(read) as Payload<Shape>
  }
}

/** The second form where the field that only it has is there. */
export function either<One, Other>(
  one: ReadPayload<One>,
  field: string,
  other: ReadPayload<Other>,
): ReadPayload<One | Other> {
  return (given) => (field in given ? other(given) : one(given))
}
