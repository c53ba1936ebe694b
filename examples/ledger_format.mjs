// What the files of a ledger are made of (docs/ledger-format.md): lines, entries in their canonical form, tree heads.

import { createHash, createPublicKey, verify } from "node:crypto";
import { closeSync, createReadStream, openSync, readSync } from "node:fs";
import { createGunzip } from "node:zlib";

export const GOVERNANCE = "governance";
const MAX_LINE = 16777216;
const DEEPEST = 64;
const HASH = /^[0-9a-f]{64}$/;
const SIGNATURE = /^[0-9a-f]{128}$/;
const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const TS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$/;
const EXPORTED_AT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.(?!000000)\d{6})?\+00:00$/;

export class Unreadable extends Error {}
export class Malformed extends Error {}

export const must = (isFine, message, Kind = Unreadable) => {
  if (!isFine) throw new Kind(message);
};
export const parse = (text, Kind = Unreadable) => {
  try {
    return JSON.parse(text);
  } catch {
    throw new Kind("not JSON");
  }
};
export const sha256 = (...parts) => parts.reduce((hash, part) => hash.update(part), createHash("sha256")).digest();
export const node = (left, right) => sha256(Buffer.of(1), left, right);
const is = (value, pattern) => typeof value === "string" && pattern.test(value);
export const isHash = (value) => is(value, HASH);
export const isId = (value) => is(value, ID);
export const isTs = (value) => isTime(value, TS);
export const isSignature = (value) => is(value, SIGNATURE);
export const isNumber = (value) => Number.isSafeInteger(value) && value >= 0;
export const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
export const isPair = (value) => Array.isArray(value) && value.length === 2 && isHash(value[1]);
export const hasNames = (value, names) => Object.keys(value).sort().join() === names;
export const own = (value, name) => (Object.hasOwn(value, name) ? value[name] : undefined);

function isTime(text, pattern) {
  const moment = is(text, pattern) && !text.startsWith("0000") ? new Date(`${text.slice(0, 19)}Z`) : new Date(NaN);
  return !Number.isNaN(moment.getTime()) && moment.toISOString().startsWith(text.slice(0, 19));
}

export function isSigned(message, signature, key) {
  const jwk = { kty: "OKP", crv: "Ed25519", x: Buffer.from(key, "hex").toString("base64url") };
  return verify(null, message, createPublicKey({ key: jwk, format: "jwk" }), signature);
}

// ---- Entries

function canonical(value, depth = 1) {
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "string") {
    must(value.isWellFormed(), "a lone surrogate", Malformed);
    return JSON.stringify(value);
  }
  if (typeof value === "number") {
    const isExact = Math.abs(value) <= Number.MAX_SAFE_INTEGER || Math.abs(value) >= 1e21;
    must(isExact && Number.isFinite(value), "a number beyond 2**53 - 1", Malformed);
    return String(value);
  }
  must(depth <= DEEPEST, "nested too deeply", Malformed);
  if (Array.isArray(value)) return `[${value.map((one) => canonical(one, depth + 1)).join()}]`;
  const names = Object.keys(value).sort(); // by UTF-16 code units
  return `{${names.map((name) => `${canonical(name)}:${canonical(value[name], depth + 1)}`).join()}}`;
}

export function parseCanonical(text) {
  const value = parse(text, Malformed);
  must(canonical(value) === text, "not in canonical form", Malformed);
  return value;
}

export function parseEntry(text) {
  const entry = parseCanonical(text);
  const names = "chain,content_hash,metadata,prev_hash,retention,seq,tenant,ts,type";
  must(isObject(entry) && hasNames(entry, names), "not the fields of an entry", Malformed);
  const { chain, content_hash, metadata, prev_hash, retention, seq, tenant, ts, type } = entry;
  must([chain, retention, tenant, type].every((one) => typeof one === "string"), "a field is no text", Malformed);
  must(isHash(prev_hash) && (content_hash === null || isHash(content_hash)), "a field is no hash", Malformed);
  must(isNumber(seq) && isObject(metadata) && isTime(ts, TS), "seq, metadata or ts is none", Malformed);
  return entry;
}

export function parseSeal(metadata) {
  const [size, before, root, counts, chains = {}] = ["size", "previous_size", "root", "counts", "chains"].map((name) =>
    own(metadata, name),
  );
  if (!isNumber(size) || !isNumber(before) || before > size || !isHash(root)) return null;
  if (!isObject(counts) || !Object.values(counts).every((count) => isNumber(count) && count > 0)) return null;
  if (!isObject(chains) || !Object.values(chains).every((head) => isPair(head) && isNumber(head[0]))) return null;
  const complete = own(metadata, "complete") !== false;
  return { size, before, root, counts: new Map(Object.entries(counts)), chains, complete };
}

// ---- The lines of an export

const SPACE = /[ \t\r]*/y;
const NUMBER = /0|[1-9][0-9]*/y;
const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Reads the parts of a line from left to right. */
class Scanner {
  at = 0;

  constructor(text) {
    this.text = text;
  }

  /** What a pattern finds here, empty if nothing; goes behind it. */
  take(pattern) {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0] ?? "";
    this.at += found.length;
    return found;
  }

  /** The next character that is no space. */
  sign() {
    this.take(SPACE);
    return this.text[this.at++];
  }

  /** The next text or number. */
  value() {
    this.take(SPACE);
    const start = this.at;
    if (this.text[start] !== '"') return parse(this.take(NUMBER));
    let slashes;
    do {
      this.at = this.text.indexOf('"', this.at + 1);
      must(this.at > 0, "a text has no end");
      for (slashes = 0; this.text[this.at - 1 - slashes] === "\\"; slashes += 1);
    } while (slashes % 2 === 1);
    this.at += 1;
    return parse(this.text.slice(start, this.at));
  }
}

/** The object of a line: its parts are read one by one, since JSON.parse drops names and rounds numbers. */
export function parseLine(bytes) {
  let text;
  try {
    text = UTF8.decode(bytes);
  } catch {
    throw new Unreadable("not UTF-8");
  }
  const scanner = new Scanner(text);
  const fields = new Map();
  let sign = scanner.sign();
  must(sign === "{", "not an object");
  while (sign !== "}") {
    const name = scanner.value();
    must(typeof name === "string" && !fields.has(name), "a name comes twice, or is none");
    must(scanner.sign() === ":", "no colon after a name");
    const value = scanner.value();
    must(typeof value === "string" ? value.isWellFormed() : isNumber(value), `${name} is no text and no number`);
    fields.set(name, value);
    sign = scanner.sign();
    must(sign === "," || sign === "}", "no comma after a value");
  }
  must(scanner.sign() === undefined, "something after the object");
  return Object.fromEntries(fields);
}

export function kindOf(line) {
  const texts = (...names) => names.every((name) => typeof line[name] === "string");
  if (hasNames(line, "exported_at,format,slug,tenant") && line.format === "suture-ledger/1") {
    if (isId(line.tenant) && texts("slug") && isTime(line.exported_at, EXPORTED_AT)) return "header";
  } else if (hasNames(line, "canonical,chain,hash,seq,signature") && isSignature(line.signature)) {
    if (texts("chain", "canonical") && isNumber(line.seq) && isHash(line.hash)) return "entry";
  } else if (hasNames(line, "hash,id,kind,leaf")) {
    if (isNumber(line.leaf) && texts("kind") && isId(line.id) && isHash(line.hash)) return "leaf";
  }
  throw new Unreadable("not a header, an entry or a leaf of suture-ledger/1");
}

/** Calls `take` with each line, without its end, and its number. */
export async function readLines(path, take) {
  const start = Buffer.alloc(2);
  const file = openSync(path);
  readSync(file, start, 0, 2, 0);
  closeSync(file);
  const bytes = createReadStream(path, { highWaterMark: 1 << 20 });
  let [number, rest] = [1, Buffer.alloc(0)];
  const stream = start.equals(Buffer.of(0x1f, 0x8b)) ? bytes.pipe(createGunzip()) : bytes;
  for await (const chunk of stream) {
    const data = rest.length ? Buffer.concat([rest, chunk]) : chunk;
    let from = 0;
    for (let at = data.indexOf(10); at >= 0; at = data.indexOf(10, from)) {
      must(at + 1 - from <= MAX_LINE, `line ${number}: too long`);
      take(data.subarray(from, at), number++);
      from = at + 1;
    }
    rest = data.subarray(from);
    must(rest.length <= MAX_LINE, `line ${number}: too long`);
  }
  if (rest.length) take(rest, number++);
  must(number > 1, "the file is empty");
}

// ---- Tree heads

function decode(text = "", size = null) {
  const bytes = Buffer.from(text, "base64");
  const isOne = bytes.length > 0 && bytes.toString("base64") === text && (size === null || bytes.length === size);
  must(isOne, "not base64, or of another length");
  return bytes;
}

function numberOf(text = "") {
  must(/^(0|[1-9][0-9]{0,18})$/.test(text), "not a number");
  return Number(text);
}

/** The notes of a file, or the one in the JSON that the API answers. */
export function parseNotes(text) {
  const given = text.trimStart().startsWith("{") ? parse(text)?.note : text;
  must(typeof given === "string", "no note in the JSON");
  const lines = given.replace(/\r\n?/g, "\n").split("\n");
  const notes = [];
  for (let at = 0; at < lines.length; ) {
    if (!lines[at]) {
      at += 1;
      continue;
    }
    const note = parseNote(lines, at);
    notes.push(note);
    at = note.end;
  }
  must(notes.length, "no tree head in the file");
  return notes;
}

function parseNote(lines, at) {
  const [origin, size, root, last = "", empty] = lines.slice(at, at + 5);
  const [chain, seq, head, ...more] = last.split(" ");
  must(chain === GOVERNANCE && !more.length && empty === "", `line ${at + 1}: not a tree head`);
  const text = Buffer.from(`${lines.slice(at, at + 4).join("\n")}\n`);
  const [rootHash, headHash] = [root, head].map((digest) => decode(digest, 32).toString("hex"));
  const signatures = [];
  let end = at + 5;
  for (; lines[end]; end += 1) {
    const found = /^\u2014 ([^ ]+) ([^ ]+)$/u.exec(lines[end]);
    must(found, `line ${end + 1}: not a signature line`);
    signatures.push({ name: found[1], bytes: decode(found[2]) });
  }
  must(signatures.length, `line ${end}: no signature`);
  must(!lines.slice(at, end).some((line) => /[\x00-\x1f\x7f]/.test(line)), `line ${at + 1}: a control character`);
  return { origin, size: numberOf(size), root: rootHash, seq: numberOf(seq), head: headHash, text, signatures, end };
}

/** Whether the server's key signed the note; lines of others do not count. */
export function isNoteSigned({ text, signatures }, key) {
  const id = sha256("suture\n", Buffer.of(1), Buffer.from(key, "hex")).subarray(0, 4);
  const isOurs = ({ name, bytes }) => name === "suture" && bytes.length === 68 && bytes.subarray(0, 4).equals(id);
  return signatures.some((line) => isOurs(line) && isSigned(text, line.bytes.subarray(4), key));
}
