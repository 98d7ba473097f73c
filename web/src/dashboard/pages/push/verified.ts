import type { ResponseOf } from '@tributary-hub/client/core.ts'

export type Verified = ResponseOf<'POST /push/{id}/verify'>

/** The sum of what the requests of one comparison found. */
export function added(total: Verified, part: Verified): Verified {
  const sum = (field: 'profiles' | 'rows' | 'missing' | 'different' | 'extra' | 'repaired') =>
    total[field] + part[field]
  return {
    profiles: sum('profiles'),
    rows: sum('rows'),
    missing: sum('missing'),
    different: sum('different'),
    extra: sum('extra'),
    repaired: sum('repaired'),
    ...(part.next === undefined ? {} : { next: part.next }),
  }
}
