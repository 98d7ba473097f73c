import type { Check } from './list.ts'

export const PUSH_CHECKS: readonly Check[] = [
  {
    id: 'P01',
    check: 'Random kills over sync and push (1,000 and more in the long form)',
    passes: 'the destination equals the store; 0 lost, 0 twice',
  },
  { id: 'P02', check: 'Visit every crash point once and in random pairs', passes: 'same' },
  {
    id: 'P03',
    check: 'Stale worker (`SIGSTOP` past lease, then `SIGCONT`)',
    passes: 'its commit fails; no regress of `_seq`',
  },
  { id: 'P04', check: 'Deliver each batch 1-5 times, shuffled within and across batches', passes: 'tables equal' },
  { id: 'P05', check: 'Destination checkpoint restored from an older backup', passes: 'resumes from there, converges' },
  {
    id: 'P06',
    check: 'Our database restored from an older backup while the destination is ahead',
    passes: 'detected, no overwrite by older rows, converges',
  },
  {
    id: 'P07',
    check: 'Same item changed 1,000 times by 8 workers',
    passes: 'final state right; order per item monotonic',
  },
  {
    id: 'P08',
    check: 'Backfill under running changes and kills (1,000,000 rows and 20 kills in the long form)',
    passes: 'no stale row, no gap; goes on where it was',
  },
  { id: 'P09', check: 'Soft, hard, undelete, delete of unknown, erase', passes: 'rows as specified' },
  {
    id: 'P10',
    check: 'Service suddenly lists 0 or half the items (error page as 200, partial page)',
    passes: 'safety stop, no mass delete, event',
  },
  {
    id: 'P11',
    check:
      'New column, widened, clash, dropped by customer, renamed table, foreign unique index, trigger that fails, view in the way',
    passes: 'evolve or named error; other tables flow; recover after fix',
  },
  {
    id: 'P12',
    check: 'A destination at 1 % of its speed under load',
    passes: 'bounded memory, no loss, the lag is told, others unaffected',
  },
  {
    id: 'P13',
    check: 'A destination down, flapping, half-open, out of connections, read-only, full, locked',
    passes: 'the states are right; recovery within the promise; blame where it belongs',
  },
  {
    id: 'P14',
    check: '3 poison rows in a batch of 500',
    passes: '497 written in under 12 statements; 3 dead letters with reason; retry after fix works',
  },
  {
    id: 'P15',
    check: 'Cron over both clock changes, leap day, missed ticks, paused, 10,000 schedules',
    passes: 'right times; at most one run; start spread',
  },
  {
    id: 'P16',
    check: 'Corrupt 100 random rows in the destination, then `verify --repair`',
    passes: 'all found and fixed',
  },
  {
    id: 'P17',
    check: 'Merge during push, at every crash point',
    passes: 'rows re-keyed once; no row under the dead account',
  },
  {
    id: 'P18',
    check: 'Erase during sync, push and retry',
    passes: 'no row of the person anywhere; the receipt lists each place; a later sync brings none back',
  },
  {
    id: 'P19',
    check: 'Readers of the feed of an app (`/accounts/changes`) while people connect, change, merge and leave',
    passes: 'they have what is stored; a cursor that lost entries gets 410',
  },
]
