/** The pictures that browsers show and that contain no code: SVG is not among them. */
type ImageType = 'image/png' | 'image/jpeg' | 'image/webp'

export interface Picture {
  type: ImageType
  width: number
  height: number
}

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/** Reads type and size from the bytes, whatever the file is called; undefined for anything else. */
export function readPicture(bytes: Buffer): Picture | undefined {
  try {
    return readPng(bytes) ?? readJpeg(bytes) ?? readWebp(bytes)
  } catch (error) {
    // The picture ends within its header.
    if (error instanceof RangeError) return undefined
    throw error
  }
}

function readPng(bytes: Buffer): Picture | undefined {
  if (!bytes.subarray(0, 8).equals(PNG) || ascii(bytes, 12, 4) !== 'IHDR') return undefined
  return { type: 'image/png', width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
}

/** Walks over the segments to the first frame header, which has the size. */
function readJpeg(bytes: Buffer): Picture | undefined {
  if (bytes.readUInt16BE(0) !== 0xffd8) return undefined
  for (let at = 2; bytes[at] === 0xff; at += 2 + bytes.readUInt16BE(at + 2)) {
    const marker = bytes.readUInt8(at + 1)
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (isFrame) return { type: 'image/jpeg', height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) }
  }
  return undefined
}

function readWebp(bytes: Buffer): Picture | undefined {
  if (ascii(bytes, 0, 4) !== 'RIFF' || ascii(bytes, 8, 4) !== 'WEBP') return undefined
  const size = webpSize(bytes)
  return size && { type: 'image/webp', ...size }
}

function webpSize(bytes: Buffer): { width: number; height: number } | undefined {
  switch (ascii(bytes, 12, 4)) {
    case 'VP8X':
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 }
    case 'VP8 ':
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff }
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21)
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
    }
    default:
      return undefined
  }
}

function ascii(bytes: Buffer, at: number, length: number): string {
  return bytes.toString('latin1', at, at + length)
}
