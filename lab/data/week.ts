import type { Random } from '../base/random.ts'
import { type ItemStore, isShown } from './item-store.ts'

/** The time that passes in the data: usually a week. */
export interface Span {
  fromMs: number
  untilMs: number
}

/** Times in whole seconds, oldest first. */
export function momentsIn(random: Random, count: number, { fromMs, untilMs }: Span): number[] {
  const moments = Array.from({ length: count }, () => fromMs + random.float() * (untilMs - fromMs))
  return moments.map((ms) => Math.floor(ms / 1000) * 1000).sort((a, b) => a - b)
}

/** What a person did to older items in this time: two were edited, one was deleted. */
export function touchOlder(
  store: ItemStore,
  { owner, kind, span }: { owner: string; kind: string; span: Span },
  edit: (fields: Record<string, unknown>) => Record<string, unknown>,
): void {
  const older = store.list(owner, kind).filter((item) => isShown(item) && item.createdAtMs < span.fromMs)
  const [first, second, third] = older
  for (const item of [first, second]) if (item) store.edit(owner, kind, item.id, edit(item.fields), span.untilMs)
  if (third) store.remove(owner, kind, third.id, span.untilMs)
}

/** An id that nothing has, also after a restart, when the counter begins again. */
export function freshId(store: ItemStore, next: () => string): string {
  let id = next()
  while (store.isTaken(id)) id = next()
  return id
}
