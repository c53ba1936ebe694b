// The chains of entries: order, links, times, keys and signatures (docs/ledger-format.md, "Each entry").

import { GOVERNANCE, Malformed, isHash, isSigned, own, parseEntry, sha256 } from "./ledger_format.mjs";

/** The hashes of a chain's entries, 32 bytes each, in parts between which there are gaps. */
class Hashes {
  parts = [];

  add(seq, hash) {
    let part = this.parts.at(-1);
    if (!part || part.start + part.count !== seq) {
      part = { start: seq, count: 0, bytes: Buffer.alloc(1024) };
      this.parts.push(part);
    }
    const { bytes } = part;
    if (bytes.length === part.count * 32) part.bytes = Buffer.concat([bytes, Buffer.alloc(bytes.length)]);
    hash.copy(part.bytes, part.count++ * 32);
  }

  at(seq) {
    const part = this.parts.find(({ start, count }) => start <= seq && seq < start + count);
    return part?.bytes.toString("hex", (seq - part.start) * 32, (seq - part.start + 1) * 32);
  }
}

export class Chain {
  next = 0;
  previous = "0".repeat(64); // null: unknown
  time = null;
  keys = []; // [the first entry that it signs, key]
  earlier = [];
  waiting = [];
  hashes = new Hashes();

  constructor(name, tenant, find) {
    Object.assign(this, { name, tenant, find: (kind, seq, detail) => find(kind, name, seq, detail) });
  }

  /** Takes the next line; returns the entry if it is to be interpreted. */
  take({ seq, canonical: text, hash, signature }) {
    if (seq < this.next) return void this.find("gap", seq, "it comes twice or out of order");
    if (seq > this.next) this.find("gap", this.next, `missing up to ${seq - 1}`);
    const before = seq > this.next ? null : this.previous;
    const bytes = Buffer.from(text);
    const computed = sha256(bytes);
    this.hashes.add(seq, computed);
    [this.previous, this.next] = [hash, seq + 1];
    const isDamaged = computed.toString("hex") !== hash;
    const find = (kind, detail) => isDamaged || this.find(kind, seq, detail);
    if (isDamaged) this.find("link", seq, "its hash is not the hash of its bytes");
    let entry;
    try {
      entry = parseEntry(text);
    } catch (error) {
      if (error instanceof Malformed) return void find("malformed", error.message);
      throw error;
    }
    if (!isDamaged && (entry.tenant !== this.tenant || entry.chain !== this.name)) {
      this.previous = null;
      return void find("foreign", `it belongs to the chain ${entry.chain} of ${entry.tenant}`);
    }
    if (entry.seq !== seq) find("gap", `the signed text is entry ${entry.seq}`);
    if (before !== null && entry.prev_hash !== before) find("link", "it does not name the hash of the entry before it");
    if (this.time !== null && entry.ts <= this.time) find("time", `${entry.ts} is not after ${this.time}`);
    this.time = entry.ts;
    const key = this.takeKeys(entry, seq, find);
    if (isDamaged) return;
    if (key) this.checkSignature(entry, seq, bytes, Buffer.from(signature, "hex"), key);
    return entry;
  }

  /** The key that must have signed the entry. */
  takeKeys({ type, metadata }, seq, find) {
    const key = this.keys.at(-1)?.[1];
    const named = own(metadata, "public_key");
    if (seq === 0) {
      const isFirst = type === (this.name === GOVERNANCE ? "genesis" : "identity") && isHash(named);
      if (!isFirst) return void find("key", "it does not name the key of the chain");
      this.keys.push([0, named]);
      return named;
    }
    if (type !== "key.rotated") return key;
    if (!isHash(named) || (key && own(metadata, "previous_key") !== key)) find("key", "it does not replace the key");
    if (isHash(named)) {
      this.keys.push([seq + 1, named]);
      if (key) this.earlier = [...this.earlier, key];
    }
    return key;
  }

  checkSignature({ type }, seq, bytes, signature, key) {
    if (isSigned(bytes, signature, key)) {
      for (const one of this.waiting.splice(0)) this.find("signature", one, "the key did not sign it");
    } else if (this.earlier.some((other) => other !== key && isSigned(bytes, signature, other))) {
      this.find("key", seq, "a key that was replaced before signed it");
    } else if (seq === 0 || type === "key.rotated") {
      this.find("key", seq, "it names a new key, and the current one did not sign it");
    } else {
      this.waiting.push(seq);
    }
  }

  finish() {
    const kind = this.waiting.length > 1 ? "key" : "signature";
    for (const one of this.waiting) this.find(kind, one, "the key did not sign it");
  }

  /** The keys that could sign when `seq` was the last entry. */
  keysAt(seq) {
    const since = Math.max(0, ...this.keys.map(([start]) => start).filter((start) => start <= seq));
    return this.keys.filter(([start]) => since <= start && start <= seq + 1).map(([, key]) => key);
  }
}
