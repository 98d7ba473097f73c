import { type ContactIdentity, foldHandle } from './contact-keys.ts'

/** What a contact calls its person, and how well that serves as the name of the person: 0 is best. */
export interface DisplayName {
  rank: number
  text: string | undefined
}

/** A name, or one that only repeats the handle, or the handle, or the e-mail address. */
export function displayName({ name, handle, email }: Omit<ContactIdentity, 'urls'>): DisplayName {
  if (foldHandle(name) !== '') return { rank: foldHandle(name) === foldHandle(handle) ? 1 : 0, text: name }
  if (foldHandle(handle) !== '') return { rank: 2, text: handle }
  return { rank: email === undefined ? 4 : 3, text: email }
}

/** The best name; of equally good ones the first. */
export function bestName(names: readonly DisplayName[]): string | undefined {
  return names.toSorted((a, b) => a.rank - b.rank)[0]?.text
}
