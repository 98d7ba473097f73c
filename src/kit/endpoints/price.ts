import { formatMoney, type Micros, parseMoney } from '#model/apps/money.ts'
import type { PageRequest } from './pages.ts'

/** The most records of one response: a number, or the parameter that says it, where pages follow a cursor and so may differ in size. */
type RecordLimit =
  | number
  | {
      param: string
      /** The smallest value that the service accepts; where less money is left, the page is made as small as this. */
      min: number
      /** Where the request does not have the parameter. */
      otherwise: number
    }

/** What an endpoint costs the app, by the vendor's price list: `{ perRecord: '0.005', currency: 'USD', records: 100 }`. */
export interface PriceInput {
  /** ISO 4217. All endpoints of a service have the same. */
  currency: string
  /** For each record of a response; at most six decimals. */
  perRecord?: string
  /** For each call, whatever its response contains. */
  perCall?: string
  /** Needed with `perRecord`: money is set aside before a call, for as many records as may come. */
  records?: RecordLimit
}

export interface Price {
  currency: string
  perRecord: Micros
  perCall: Micros
  records: RecordLimit
}

/** Reads what a connector's author wrote; throws `RangeError` for a price that cannot be calculated with. */
export function readPrice({ currency, perRecord = '0', perCall = '0', records }: PriceInput): Price {
  if (!/^[A-Z]{3}$/.test(currency)) throw new RangeError(`price.currency: “${currency}” is not a code such as USD`)
  const price = { currency, perRecord: amount('perRecord', perRecord), perCall: amount('perCall', perCall) }
  if (price.perRecord > 0 && records === undefined)
    throw new RangeError('price.records: needed with perRecord, to know what a call may cost')
  return { ...price, records: records ?? 0 }
}

function amount(field: string, text: string): Micros {
  const micros = parseMoney(text)
  if (micros === undefined) throw new RangeError(`price.${field}: “${text}” is not an amount such as 0.005`)
  return micros
}

export function costOf(price: Price, records: number): Micros {
  return price.perCall + price.perRecord * records
}

/** The request, with a smaller page where less money is left, and what it costs at most; undefined where no page is paid for. */
export function affordable(
  price: Price,
  request: PageRequest,
  left: Micros,
): { request: PageRequest; cost: Micros } | undefined {
  const { records } = price
  const wanted = recordsOf(records, request)
  const most = price.perRecord === 0 ? wanted : Math.floor((left - price.perCall) / price.perRecord)
  const least = typeof records === 'number' ? wanted : Math.min(records.min, wanted)
  const count = Math.min(wanted, most)
  if (count < least || costOf(price, count) > left) return undefined
  const isSmaller = typeof records !== 'number' && count < wanted
  const query = isSmaller ? { ...request.query, [records.param]: String(count) } : request.query
  return { request: { ...request, query }, cost: costOf(price, count) }
}

function recordsOf(records: RecordLimit, { query }: PageRequest): number {
  if (typeof records === 'number') return records
  const asked = Number(query[records.param] ?? records.otherwise)
  return Number.isSafeInteger(asked) && asked > 0 ? asked : records.otherwise
}

/** As the API shows it. */
export function presentPrice({ currency, perRecord, perCall }: Price) {
  return {
    currency,
    ...(perRecord === 0 ? {} : { per_record: formatMoney(perRecord) }),
    ...(perCall === 0 ? {} : { per_call: formatMoney(perCall) }),
  }
}
