import { z } from 'zod'

export const deleted = z
  .object({ deleted: z.string().describe('Its id.') })
  .meta({ id: 'Deleted', description: 'What was deleted.' })
