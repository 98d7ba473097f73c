const epochMs = 1_288_000_000_000n

/** 64-bit ids that sort by time and exceed the precision of a double. */
export const snowflake = (createdAtMs: number, sequence: number): bigint =>
  ((BigInt(createdAtMs) - epochMs) << 22n) | BigInt(sequence & 0x3f_ffff)
