import type { BodyOf } from '@tributary-hub/client/core.ts'
import { filterIn } from './filter-lines.ts'
import type { Destination } from './kinds.ts'
import { type Option, type OptionTexts, optionsIn, textsOf } from './option-texts.ts'

interface Form {
  name: string
  /** Empty, unless it is to be another one. */
  url: string
  filter: string
  schedule: string
  texts: OptionTexts
}

/** Only what differs: a new filter or address delivers everything again. */
export function changedSettings(
  destination: Pick<Destination, 'name' | 'filter' | 'schedule' | 'options'>,
  offered: readonly Option[],
  { name, url, filter, schedule, texts }: Form,
): BodyOf<'PATCH /push/{id}'> {
  const paths = filterIn(filter)
  const stored = textsOf(destination.options)
  return {
    ...(name === destination.name ? {} : { name }),
    ...(url === '' ? {} : { url }),
    ...(paths.join('\n') === destination.filter.join('\n') ? {} : { filter: paths }),
    ...(schedule === destination.schedule ? {} : { schedule }),
    ...(offered.every(({ name: option }) => (texts[option] ?? '') === (stored[option] ?? ''))
      ? {}
      : { options: optionsIn(offered, texts) }),
  }
}
