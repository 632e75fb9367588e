// A list of records whose pages cost little: each record is a real one, compressed once, with a DOI
// and a creation time of its own that are stored uncompressed between the compressed pieces.
import { readFileSync } from 'node:fs';
import { constants, crc32, deflateRawSync } from 'node:zlib';

const DOI_LENGTH = '10.5072/bench-00000000'.length;
const TIME_LENGTH = '2020-05-06T07:08:09Z'.length;
// A record has neither of these bytes.
const DOI_HOLE = '\u0001'.repeat(DOI_LENGTH);
const TIME_HOLE = '\u0002'.repeat(TIME_LENGTH);
// Holes, and what is between holes that are close together: a block each would cost more than it
// saves.
const HOLES = new RegExp(`((?:${DOI_HOLE}|${TIME_HOLE})(?:.{0,60}(?:${DOI_HOLE}|${TIME_HOLE}))*)`);
/** How far back compressed text may refer to. */
const WINDOW = 32 * 1024;
const STORED_HEADER = 5;

const GZIP_HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);
/** An empty block that is the last one. */
const LAST_BLOCK = Buffer.from([1, 0, 0, 255, 255]);
const COMMA = Buffer.from(',');
const EMPTY = Buffer.alloc(0);

/** A block of deflate that holds bytes as they are. */
function stored(/** @type {Buffer} */ bytes) {
  const header = Buffer.alloc(STORED_HEADER);
  header.writeUInt16LE(bytes.length, 1);
  header.writeUInt16LE(bytes.length ^ 0xffff, 3);
  return Buffer.concat([header, bytes]);
}

/** The bytes of a template, and where they have the DOI and the time. */
function form(/** @type {Buffer[]} */ pieces) {
  const bytes = Buffer.concat(pieces);
  const offsets = (/** @type {string} */ hole) => {
    const found = [];
    for (let at = bytes.indexOf(hole); at >= 0; at = bytes.indexOf(hole, at + hole.length))
      found.push(at);
    return found;
  };
  return { bytes, dois: offsets(DOI_HOLE), times: offsets(TIME_HOLE) };
}

/**
 * Blocks of deflate for the parts of a record: holes stay as they are, the others may refer to the
 * text before them.
 */
function packed(/** @type {string[]} */ parts, /** @type {Buffer} */ before) {
  let dictionary = before;
  const blocks = parts.map((part) => {
    const bytes = Buffer.from(part);
    // It ends at a whole byte, and is not the last block.
    const options = { finishFlush: constants.Z_FULL_FLUSH, level: 9, dictionary };
    dictionary = Buffer.concat([dictionary, bytes]).subarray(-WINDOW);
    return HOLES.test(part) ? stored(bytes) : deflateRawSync(bytes, options);
  });
  return form(blocks);
}

// The shorter ones: compressed one by one, they make pages of 600 KB, as large as those of the
// service.
const MOST_BYTES = 3200;

const lines = readFileSync(new URL('records.ndjson', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .filter((line) => line.length <= MOST_BYTES)
  .map((line) => {
    const { id, attributes } = JSON.parse(line);
    return line.replaceAll(id, DOI_HOLE).replaceAll(attributes.created, TIME_HOLE);
  });
/** Each record alone, and compressed as one that follows the others. */
const templates = lines.map((line, index) => {
  const parts = line.split(HOLES).filter((part) => part !== '');
  const others = [...lines.slice(index), ...lines.slice(0, index)]
    .map((other) => `${other},`)
    .join('');
  return {
    plain: form([Buffer.from(line)]),
    alone: packed(parts, COMMA),
    following: packed(parts, Buffer.from(others).subarray(-WINDOW)),
  };
});
const templateOf = (/** @type {number} */ index) => templates[index % templates.length];

/** Records by creation time, then by DOI. The DOIs themselves are in no order. */
export class Listed {
  /** @param {Float64Array} times in milliseconds, in order */
  constructor(times) {
    this.times = times;
    this.dois = Array.from(times, (_, index) => {
      const number = Math.imul(index + 1, 0x9e3779b1) >>> 0;
      return `10.5072/bench-${number.toString(16).padStart(8, '0')}`;
    });
    for (let start = 0, end = 0; start < times.length; start = end) {
      while (end < times.length && times[end] === times[start]) end++;
      if (end > start + 1)
        this.dois.splice(start, end - start, ...this.dois.slice(start, end).sort());
    }
  }

  /** The first index from which on `isReached` is true. */
  first(/** @type {(index: number) => boolean} */ isReached) {
    let [low, high] = [0, this.times.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (isReached(middle)) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** The line of a record. */
  line(/** @type {number} */ index) {
    return this.#joined([index], [templateOf(index).plain], [EMPTY, EMPTY, EMPTY]);
  }

  /**
   * The records from `start` to before `end` between two texts, plain or as gzip.
   * @param {{ start: number, end: number, before: string, after: string, gzip: boolean }} page
   */
  page({ start, end, before, after, gzip }) {
    const indexes = Array.from({ length: end - start }, (_, at) => start + at);
    const [head, tail] = [Buffer.from(before), Buffer.from(after)];
    const plain = indexes.map((index) => templateOf(index).plain);
    const body = this.#joined(indexes, plain, [head, COMMA, tail]);
    if (!gzip) return body;
    let length = 0;
    const forms = indexes.map((index) => {
      const { alone, following, plain } = templateOf(index);
      const chosen = length < WINDOW ? alone : following;
      length += plain.bytes.length + COMMA.length;
      return chosen;
    });
    const trailer = Buffer.alloc(8);
    trailer.writeUInt32LE(crc32(body), 0);
    trailer.writeUInt32LE(body.length, 4);
    return this.#joined(indexes, forms, [
      Buffer.concat([GZIP_HEADER, stored(head)]),
      stored(COMMA),
      Buffer.concat([stored(tail), LAST_BLOCK, trailer]),
    ]);
  }

  /** Records in one buffer, which is much faster than a buffer for each. */
  #joined(
    /** @type {number[]} */ indexes,
    forms,
    /** @type {Buffer[]} */ [before, between, after],
  ) {
    const records = forms.reduce((sum, { bytes }) => sum + bytes.length, 0);
    const commas = between.length * Math.max(0, forms.length - 1);
    const joined = Buffer.allocUnsafe(before.length + records + commas + after.length);
    let at = before.copy(joined);
    for (const [position, index] of indexes.entries()) {
      if (position > 0) at += between.copy(joined, at);
      at += this.#write(joined, at, forms[position], index);
    }
    after.copy(joined, at);
    return joined;
  }

  /** Writes a template with the DOI and the time of a record, and returns its length. */
  #write(
    /** @type {Buffer} */ target,
    /** @type {number} */ start,
    form,
    /** @type {number} */ index,
  ) {
    const { bytes, dois, times } = form;
    bytes.copy(target, start);
    const time = `${new Date(this.times[index]).toISOString().slice(0, TIME_LENGTH - 1)}Z`;
    for (const offset of dois) target.latin1Write(this.dois[index], start + offset, DOI_LENGTH);
    for (const offset of times) target.latin1Write(time, start + offset, TIME_LENGTH);
    return bytes.length;
  }
}
