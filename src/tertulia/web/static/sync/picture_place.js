/** Removes from a photo where it was taken. Cameras write it into JPEG files, as Exif tags. */

const HEAD_BYTES = 256 * 1024; // Exif comes first, and is at most 64 kB
const EXIF = 0x45786966;
const GPS_TAG = 0x8825;
const ENTRY_BYTES = 12;
/** Bytes of a value, by the type of its tag. */
const VALUE_BYTES = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8];

/** The same file if it names no place.
 * @param {File} file
 * @returns {Promise<File>} */
export async function withoutPlace(file) {
  if (file.type !== "image/jpeg") return file;
  const head = await file.slice(0, HEAD_BYTES).arrayBuffer();
  if (!removePlace(new DataView(head))) return file;
  return new File([head, file.slice(HEAD_BYTES)], file.name, { type: file.type, lastModified: file.lastModified });
}

/** @param {DataView} head
 * @returns {boolean} whether there was a place */
function removePlace(head) {
  try {
    const start = findExif(head);
    return start > 0 && clearPlace(new DataView(head.buffer, start));
  } catch (error) {
    if (error instanceof RangeError) return false; // it ends in the middle of a tag: no program can read it
    throw error;
  }
}

/** Where the tags begin; 0 if there are none.
 * @param {DataView} head */
function findExif(head) {
  let at = 2;
  while (head.getUint8(at) === 0xff && head.getUint8(at + 1) !== 0xda) {
    if (head.getUint8(at + 1) === 0xe1 && head.getUint32(at + 4) === EXIF) return at + 10;
    at += 2 + head.getUint16(at + 2);
  }
  return 0;
}

/** Clear each value of the place, then say that it has none.
 * @param {DataView} tags */
function clearPlace(tags) {
  const isLittle = tags.getUint16(0) === 0x4949;
  const entries = (/** @type {number} */ at) =>
    Array.from({ length: tags.getUint16(at, isLittle) }, (_, each) => at + 2 + each * ENTRY_BYTES);
  const pointer = entries(tags.getUint32(4, isLittle)).find((at) => tags.getUint16(at, isLittle) === GPS_TAG);
  if (!pointer) return false;
  const place = tags.getUint32(pointer + 8, isLittle);
  const found = entries(place);
  for (const at of found) {
    const length = (VALUE_BYTES[tags.getUint16(at + 2, isLittle)] ?? 0) * tags.getUint32(at + 4, isLittle);
    if (length > 4) clear(tags, tags.getUint32(at + 8, isLittle), length);
    clear(tags, at, ENTRY_BYTES);
  }
  tags.setUint16(place, 0, isLittle);
  return found.length > 0;
}

/** @param {DataView} tags
 * @param {number} at
 * @param {number} length */
function clear(tags, at, length) {
  for (let each = at; each < at + length; each++) tags.setUint8(each, 0);
}
