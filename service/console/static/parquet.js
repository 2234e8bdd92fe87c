// The columns of a parquet file, from its last bytes: a list of names in Thrift's compact protocol. No value is read.

const LARGEST = 8 << 20;
const BOOLEANS = [1, 2];
const [BYTE, DOUBLE, BINARY, LIST, SET, MAP, STRUCT] = [3, 7, 8, 9, 10, 11, 12];

export async function parquetColumns(file) {
  const tail = new DataView(await file.slice(-8).arrayBuffer());
  const mark = tail.byteLength === 8 ? String.fromCharCode(...new Uint8Array(tail.buffer, 4)) : "";
  const length = mark === "PAR1" ? tail.getUint32(0, true) : 0;
  if (length === 0 || length > LARGEST || length + 8 > file.size) return null;
  const footer = new Reader(await file.slice(-8 - length, -8).arrayBuffer()).struct();
  // Field 2 is the schema, whose first element is the root; field 4 of an element is its name, field 5 its children.
  const columns = (footer[2] ?? []).slice(1).filter((each) => each[5] === undefined).map((each) => each[4]);
  return { columns, rows: footer[3] };
}

class Reader {
  #bytes;
  #at = 0;

  constructor(buffer) { this.#bytes = new Uint8Array(buffer); }

  struct() {
    const fields = {};
    for (let id = 0, head = this.#byte(); head !== 0; head = this.#byte()) {
      id = head >> 4 ? id + (head >> 4) : this.#signed();
      fields[id] = BOOLEANS.includes(head & 15) ? (head & 15) === 1 : this.#value(head & 15);
    }
    return fields;
  }

  #value(type) {
    if (BOOLEANS.includes(type) || type === BYTE) return this.#byte();
    if (type === DOUBLE) { this.#at += 8; return null; }
    if (type === BINARY) return this.#text();
    if (type === LIST || type === SET) return this.#list();
    if (type === MAP) return this.#map();
    return type === STRUCT ? this.struct() : this.#signed();
  }

  #list() {
    const head = this.#byte();
    const count = head >> 4 === 15 ? this.#unsigned() : head >> 4;
    return Array.from({ length: count }, () => this.#value(head & 15));
  }

  #map() {
    const count = this.#unsigned();
    if (count === 0) return [];
    const types = this.#byte();
    return Array.from({ length: count }, () => [this.#value(types >> 4), this.#value(types & 15)]);
  }

  #text() {
    const length = this.#unsigned();
    this.#at += length;
    return new TextDecoder().decode(this.#bytes.subarray(this.#at - length, this.#at));
  }

  #byte() {
    if (this.#at >= this.#bytes.length) throw new RangeError("the footer ends early");
    this.#at += 1;
    return this.#bytes[this.#at - 1];
  }

  // Numbers beyond 2^53 lose digits; no length or count here is that large.
  #unsigned() {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.#byte();
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  }

  #signed() {
    const value = this.#unsigned();
    return value % 2 ? -(value + 1) / 2 : value / 2;
  }
}
