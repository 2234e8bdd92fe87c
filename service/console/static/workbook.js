// Reads the first sheet of a workbook (xlsx) in the browser: a zip archive of XML, of which two members are needed.

const MOST = 1 << 20;
const LARGEST = 64 << 20;
const END = 0x06054b50;
const MEMBER = 0x02014b50;

export async function workbookRows(file) {
  if (file.size > LARGEST) return [];
  const view = new DataView(await file.arrayBuffer());
  const members = listing(view);
  const sheet = [...members.keys()].filter((name) => /^xl\/worksheets\/[^/]+\.xml$/.test(name)).sort()[0];
  if (sheet === undefined) return [];
  const strings = await member(view, members.get("xl/sharedStrings.xml"));
  const shared = [...strings.matchAll(/<si\b[^>]*>([\s\S]*?)<\/si>/g)].map(([, content]) => textOf(content));
  const text = await member(view, members.get(sheet));
  return [...text.matchAll(/<row\b[^>]*>([\s\S]*?)<\/row>/g)].map(([, content]) => cells(content, shared));
}

function listing(view) {
  const found = new Map();
  let at = view.byteLength - 22;
  while (at > 0 && view.getUint32(at, true) !== END) at -= 1;
  if (at <= 0) return found;
  const count = view.getUint16(at + 10, true);
  at = view.getUint32(at + 16, true);
  for (let number = 0; number < count && view.getUint32(at, true) === MEMBER; number += 1) {
    const length = view.getUint16(at + 28, true);
    const name = new TextDecoder().decode(new Uint8Array(view.buffer, at + 46, length));
    found.set(name, { method: view.getUint16(at + 10, true), size: view.getUint32(at + 20, true), start: view.getUint32(at + 42, true) });
    at += 46 + length + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
  return found;
}

// The beginning of a member's text; a missing member is empty.
async function member(view, entry) {
  if (!entry) return "";
  const start = entry.start + 30 + view.getUint16(entry.start + 26, true) + view.getUint16(entry.start + 28, true);
  const bytes = new Blob([new Uint8Array(view.buffer, start, entry.size)]);
  const stream = entry.method === 0 ? bytes.stream() : bytes.stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (text.length < MOST) {
    const { value, done } = await reader.read();
    if (done) break;
    text += value;
  }
  reader.cancel();
  return text;
}

function cells(row, shared) {
  const made = [];
  for (const [, attributes, content = ""] of row.matchAll(/<c\b([^>]*?)(?:\/>|>([\s\S]*?)<\/c>)/g)) {
    const place = columnOf(/\br="([A-Z]+)\d+"/.exec(attributes)?.[1]) ?? made.length;
    const kind = /\bt="(\w+)"/.exec(attributes)?.[1];
    const value = /<v\b[^>]*>([\s\S]*?)<\/v>/.exec(content)?.[1] ?? "";
    while (made.length < place) made.push("");
    made[place] = kind === "s" ? shared[Number(value)] ?? "" : kind === "inlineStr" ? textOf(content) : unescape(value);
  }
  return made;
}

function columnOf(letters) {
  return letters ? [...letters].reduce((number, letter) => 26 * number + letter.charCodeAt(0) - 64, 0) - 1 : null;
}

function textOf(content) {
  return unescape([...content.matchAll(/<t\b[^>]*>([\s\S]*?)<\/t>/g)].map(([, text]) => text).join(""));
}

const NAMED = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

function unescape(text) {
  return text.replace(/&(?:#(\d+)|#x([0-9a-f]+)|(\w+));/gi, (whole, number, hex, name) => NAMED[name] ?? (number ? String.fromCodePoint(Number(number)) : hex ? String.fromCodePoint(parseInt(hex, 16)) : whole));
}
