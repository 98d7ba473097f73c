import type { UploadProblem } from '../sign-in/upload-problems.ts'

/** The file was not accepted, and nothing of it is stored. */
export class UploadRefused extends Error {
  override name = 'UploadRefused'
  readonly problem: UploadProblem

  constructor(problem: UploadProblem, cause?: unknown) {
    super(`an uploaded file was refused: ${problem}`, { cause })
    this.problem = problem
  }
}
