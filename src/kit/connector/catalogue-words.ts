/** How sure we are of an entry. */
export const CERTAINTIES = ['declared', 'agreed', 'tried'] as const

/** What a service is for; each has one. */
export const CATEGORIES = [
  'business',
  'communication',
  'data',
  'development',
  'education',
  'files',
  'finance',
  'games',
  'health',
  'identity',
  'media',
  'music',
  'people',
  'shops',
  'travel',
  'work',
  'writing',
] as const
export type Category = (typeof CATEGORIES)[number]
export type Certainty = (typeof CERTAINTIES)[number]
