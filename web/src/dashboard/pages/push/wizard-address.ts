import type { Texts } from '../../search.ts'
import type { Option, OptionTexts } from './option-texts.ts'

/** Before the name of an option in the address. */
export const OPTION = 'option.'

/** The options in the address. */
export const textsInAddress = (address: Texts): OptionTexts =>
  Object.fromEntries(
    Object.entries(address).flatMap(([name, text]) =>
      name.startsWith(OPTION) ? [[name.slice(OPTION.length), text]] : [],
    ),
  )

/** Where the tables are is an option of some kinds; of others, the address of the database names it. */
export const setPlace = (offered: readonly Pick<Option, 'name'>[], what: string | undefined, text: string): Texts =>
  offered.some(({ name }) => name === what) ? { [`${OPTION}${what}`]: text } : { place: text }
