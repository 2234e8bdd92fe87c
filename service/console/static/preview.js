// Reads the beginning of the chosen file in the browser: its probable kind, its columns and first rows.
// Nothing is sent.
import { parquetColumns } from "./parquet.js";
import { workbookRows } from "./workbook.js";

const MOST = 1 << 20;
const GRAPHS = /\.(graphml|gml|gexf|net|paj|pajek)(\.gz)?$/i;
const EDGES = /\.(edges|edgelist|edge)(\.gz)?$/i;
const BINARY = /\.(ods|zst)$/i;
const LATER = "This file is not shown here; its columns appear after the upload.";
const TIME = /^(t|time|timestamp|date|datetime|when|snapshot|hora|fecha|data|datum|zeit|temps)$/i;

export async function lookAt(file) {
  const name = file.name;
  const base = { name: name.replace(/(\.gz|\.zst)?$/i, "").replace(/\.[^.]+$/, ""), kind: "table", columns: [], rows: [] };
  if (BINARY.test(name)) return { ...base, note: LATER };
  if (/\.parquet$/i.test(name)) return parquet(base, file);
  if (/\.xlsx$/i.test(name)) return workbook(base, file);
  if (GRAPHS.test(name)) return graph(base, await beginning(file));
  const text = await beginning(file);
  if (/^\s*[\[{]/.test(text)) return lines(base, text);
  return cells(base, text, name);
}

async function parquet(base, file) {
  try {
    const found = await parquetColumns(file);
    if (found) return { ...base, columns: found.columns, note: `${found.rows.toLocaleString("en")} rows; only the column names of a parquet file are shown.` };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  return { ...base, note: LATER };
}

async function workbook(base, file) {
  try {
    const [columns, ...rows] = await workbookRows(file);
    if (columns) return { ...base, columns, rows };
  } catch (error) {
    // The file is not an archive, or is damaged: the service reports what is wrong with it.
    if (!(error instanceof RangeError || error instanceof TypeError)) throw error;
  }
  return { ...base, note: LATER };
}

const EDGE = /<edge\b[^>]*?\bsource="([^"]*)"[^>]*?\btarget="([^"]*)"|\bedge\s*\[[^\]]*?\bsource\s+(\S+)[^\]]*?\btarget\s+(\S+)/g;

function graph(base, text) {
  const rows = [...text.matchAll(EDGE)].slice(0, 200).map(([, a, b, c, d]) => [a ?? c, b ?? d]);
  const known = rows.length ? { columns: ["source", "target"], rows } : {};
  return { ...base, kind: "graph", edges: true, note: "A graph file; its nodes' attributes appear after the upload.", ...known };
}

async function beginning(file) {
  let stream = file.stream();
  if (/\.gz$/i.test(file.name)) stream = stream.pipeThrough(new DecompressionStream("gzip"));
  const reader = stream.getReader();
  const chunks = [];
  let size = 0;
  while (size < MOST) {
    const { value, done } = await reader.read();
    if (done) break;
    chunks.push(value);
    size += value.length;
  }
  await reader.cancel();
  const bytes = new Uint8Array(await new Blob(chunks).arrayBuffer()).slice(0, MOST);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

function lines(base, text) {
  const rows = [];
  for (const line of text.split("\n").slice(0, 200)) {
    try { rows.push(JSON.parse(line)); } catch { break; }
  }
  if (!rows.length) return { ...base, kind: "graph", note: "A JSON document; its content appears after the upload." };
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return { ...base, columns, rows: rows.map((row) => columns.map((column) => shown(row[column]))) };
}

function shown(value) {
  return value === null || value === undefined ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);
}

function cells(base, text, name) {
  const whole = text.length < MOST ? text : text.slice(0, text.lastIndexOf("\n"));
  const kept = whole.split(/\r?\n/).filter((line) => line && !/^[#%]/.test(line));
  const delimiter = delimiterOf(kept.slice(0, 20), EDGES.test(name));
  const rows = parse(kept.slice(0, 500).join("\n"), delimiter);
  const head = rows[0] ?? [];
  const edges = EDGES.test(name) || (head.length <= 4 && /^(source|src|from|u|i)$/i.test(head[0] ?? ""));
  if (!edges) return { ...base, columns: head, rows: rows.slice(1) };
  const hasHeader = /^(source|src|from|u|i)$/i.test(head[0] ?? "");
  const timed = head.length >= 3 && (hasHeader ? TIME.test(head.at(-1)) : rows.slice(0, 50).every((row) => looksLikeTime(row.at(-1))));
  const names = hasHeader ? head : ["source", "target", ...(head.length > 3 ? ["weight"] : []), ...(timed ? ["time"] : head.slice(2))].slice(0, head.length);
  return { ...base, kind: timed ? "temporal_graph" : "graph", columns: names, rows: hasHeader ? rows.slice(1) : rows, edges: true };
}

function looksLikeTime(text) {
  return /^\d{1,13}$/.test(text ?? "") || /^\d{4}-\d{2}-\d{2}/.test(text ?? "");
}

function delimiterOf(sample, edges) {
  const counted = [",", ";", "\t", "|"].map((mark) => [mark, Math.min(...sample.map((line) => line.split(mark).length - 1))]);
  const [mark, count] = counted.sort((a, b) => b[1] - a[1])[0] ?? [",", 0];
  return count > 0 ? mark : edges || sample[0]?.includes(" ") ? " " : ",";
}

function parse(text, delimiter) {
  const rows = [];
  let row = [];
  let cell = "";
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const mark = text[at];
    if (quoted) {
      if (mark === '"' && text[at + 1] === '"') { cell += '"'; at += 1; }
      else if (mark === '"') quoted = false;
      else cell += mark;
    } else if (mark === '"' && cell === "") quoted = true;
    else if (mark === delimiter) { row.push(cell); cell = ""; }
    else if (mark === "\n") { rows.push([...row, cell]); row = []; cell = ""; }
    else if (mark !== "\r") cell += mark;
  }
  if (cell || row.length) rows.push([...row, cell]);
  return rows;
}

export function table(sample) {
  const made = document.createElement("table");
  made.className = "table--compact";
  const head = made.createTHead().insertRow();
  for (const name of sample.columns) {
    const cell = document.createElement("th");
    cell.scope = "col";
    cell.textContent = name;
    head.append(cell);
  }
  const body = made.createTBody();
  for (const row of sample.rows.slice(0, 8)) {
    const line = body.insertRow();
    for (const text of row) line.insertCell().textContent = text.length > 60 ? `${text.slice(0, 60)}…` : text;
  }
  return made;
}
