import type { BodyFormat } from '#kit/endpoints/pages.ts'
import { parseXml } from '#model/xml/parse-xml.ts'
import { parseCsv } from './csv.ts'
import { type LosslessJson, MAX_JSON_DEPTH, parseLossless } from './lossless-json.ts'

/** Parses a response in the format that the connector declares; throws JsonError or FormatError. */
export function readBody(text: string, format: BodyFormat, maxDepth = MAX_JSON_DEPTH): LosslessJson {
  switch (format) {
    case 'json':
      return parseLossless(text, maxDepth)
    case 'xml':
      return parseXml(text) as unknown as LosslessJson
    case 'xml_or_json':
      return readBody(text, /^\s*</.test(text.slice(0, 1000)) ? 'xml' : 'json', maxDepth)
    case 'csv':
      return parseCsv(text)
    default:
      return format satisfies never
  }
}
