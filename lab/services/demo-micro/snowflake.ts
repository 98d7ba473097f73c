const epochMs = 1_288_000_000_000n

/** 64-bit ids that sort by time: far beyond what a double holds. */
export const snowflake = (createdAtMs: number, sequence: number): bigint =>
  ((BigInt(createdAtMs) - epochMs) << 22n) | BigInt(sequence & 0x3f_ffff)
