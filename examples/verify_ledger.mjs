#!/usr/bin/env node
// Verifies an export of a ledger, proofs and receipts with nothing but Node 20: written from docs/ledger-format.md alone.
//
//   node verify_ledger.mjs [ledger.jsonl] [--trusted-tree-head FILE]... [--proof FILE]... [--receipt FILE]... [--json]
//
// Exit codes: 0 all is well, 1 there are findings, a proof does not hold or a receipt is not kept, 2 a file cannot be
// read.
// The export is read once. Memory holds 32 bytes of each entry, and the edits and verdicts whose leaf has not come.

import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { Chain } from "./ledger_chains.mjs";
import {
  GOVERNANCE, Unreadable, isNoteSigned, isNumber, isPair, kindOf, must, node, own, parse, parseLine, parseNotes,
  parseSeal, readLines, sha256,
} from "./ledger_format.mjs";
import { ProofFails, checkProof } from "./ledger_proofs.mjs";
import { parseReceipt, placeOf, whyNotKept } from "./ledger_receipts.mjs";

const MOST_LISTED = 1000;

// ---- The tree

class Tree {
  size = 0;
  sealed = 0;
  seals = []; // those whose leaves have not come
  full = []; // the roots of the full subtrees
  roots = new Map(); // of the sizes that are wanted
  isBroken = false;

  constructor(find, wanted) {
    Object.assign(this, { find, wanted: new Set(wanted) });
    this.beginSeal();
  }

  beginSeal() {
    Object.assign(this, { counts: new Map(), kind: "", id: "00000000-0000-0000-0000-000000000000" });
  }

  root() {
    return (this.full.length ? this.full.reduceRight((right, left) => node(left, right)) : sha256("")).toString("hex");
  }

  seal(seq, seal) {
    if (seal.before !== this.sealed) this.find("seal mismatch", GOVERNANCE, seq, "it continues from another size");
    if (seal.size < this.sealed) return;
    this.sealed = seal.size;
    this.seals.push({ seq, ...seal });
  }

  leaf({ leaf, kind, id, hash }) {
    if (this.isBroken) return;
    if (leaf !== this.size) {
      this.isBroken = true;
      return this.find("gap", "leaves", this.size, `leaf ${leaf} comes where ${this.size} is expected`);
    }
    if (leaf === 0) this.compare();
    const follows = kind === this.kind ? id > this.id : !this.counts.has(kind);
    if (this.seals.length && !follows) this.find("seal mismatch", "leaves", leaf, `${kind} ${id} is out of order`);
    this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1);
    Object.assign(this, { kind, id });
    let tree = Buffer.from(hash, "hex");
    for (let rest = this.size; rest % 2 === 1; rest = (rest - 1) / 2) tree = node(this.full.pop(), tree);
    this.full.push(tree);
    this.size += 1;
    this.compare();
  }

  compare() {
    if (this.wanted.has(this.size)) this.roots.set(this.size, this.root());
    while (this.seals[0]?.size === this.size) {
      const { seq, root, counts } = this.seals.shift();
      const find = (detail) => this.find("seal mismatch", GOVERNANCE, seq, detail);
      if (this.root() !== root) find("the leaves do not give its root");
      const isSame = [...counts].every(([kind, count]) => this.counts.get(kind) === count);
      if (!isSame || counts.size !== this.counts.size) find("its leaves are not those that it counted");
      this.beginSeal();
    }
  }

  finish() {
    if (this.size === 0) this.compare();
    for (const { seq, size } of this.isBroken ? [] : this.seals) {
      this.find("truncated", GOVERNANCE, seq, `it seals ${size} leaves, and there are ${this.size}`);
    }
  }
}

// ---- The ledger

class Verifier {
  findings = [];
  count = 0;
  chains = new Map();
  completes = []; // the last two complete seals
  heads = new Map(); // chain and number, as JSON -> the hash that the first seal gives to it
  named = new Map(); // kind and id -> Map(chain -> the first entry that names it)
  once = new Set();

  constructor(tenant, notes, sizes, promised) {
    Object.assign(this, { tenant, notes, promised, find: this.find.bind(this) });
    this.tree = new Tree(this.find, [...sizes, ...notes.map((note) => note.size)]);
  }

  find(kind, chain, seq, detail) {
    this.count += 1;
    if (this.findings.length < MOST_LISTED) this.findings.push({ kind, chain, seq, detail });
  }

  /** The findings of `about` come once for each kind and place. */
  findOnce(about, kind, chain, seq, detail) {
    const key = JSON.stringify([about, kind, chain, seq]);
    if (!this.once.has(key)) this.find(kind, chain, seq, detail);
    this.once.add(key);
  }

  entry(line) {
    const { chain, seq } = line;
    if (!this.chains.has(chain)) this.chains.set(chain, new Chain(chain, this.tenant, this.find));
    const entry = this.chains.get(chain).take(line);
    if (!entry) return;
    const { metadata, type } = entry;
    const edits = type === "edits.proposed" && Array.isArray(own(metadata, "edits")) ? metadata.edits : [];
    for (const edit of [own(metadata, "edit"), ...edits]) this.name("edit", edit, chain, seq);
    this.name("verdict", own(metadata, "verdict"), chain, seq);
    if (type === "seal" && chain === GOVERNANCE) this.seal(seq, parseSeal(metadata));
    const contents = type === "redaction" ? own(metadata, "contents") : [];
    const isList = Array.isArray(contents) && contents.every((one) => isPair(one) && typeof one[0] === "string");
    if (!isList) this.find("malformed", chain, seq, "it does not say what was erased");
  }

  name(kind, id, chain, seq) {
    if (typeof id !== "string") return;
    const places = this.named.get(`${kind} ${id}`) ?? new Map();
    if (!places.has(chain)) this.named.set(`${kind} ${id}`, places.set(chain, seq));
  }

  seal(seq, seal) {
    if (!seal) return this.find("seal mismatch", GOVERNANCE, seq, "its metadata is not that of a seal");
    this.tree.seal(seq, seal);
    if (seal.complete) this.completes = [...this.completes.slice(-1), { seq, chains: seal.chains }];
    for (const [chain, [head, hash]] of Object.entries(seal.chains)) {
      const key = JSON.stringify([chain, head]);
      if (!this.heads.has(key)) this.heads.set(key, hash);
      if ((this.chains.get(chain)?.hashes.at(head) ?? this.heads.get(key)) !== hash) this.findOther(chain, head);
    }
  }

  findOther(chain, head) {
    this.findOnce("heads", "seal mismatch", chain, head, "a seal names another entry");
  }

  leaf(line) {
    this.tree.leaf(line);
    this.named.delete(`${line.kind} ${line.id}`);
    const place = this.promised.size ? placeOf(line.hash, line) : "";
    if (this.promised.get(place) === null) this.promised.set(place, line.leaf);
  }

  finish() {
    for (const chain of this.chains.values()) chain.finish();
    this.tree.finish();
    if (!this.chains.has(GOVERNANCE)) this.find("gap", GOVERNANCE, 0, "there is no entry of this chain");
    for (const [key, hash] of this.heads) {
      const [name, head] = JSON.parse(key);
      const chain = this.chains.get(name);
      const found = chain?.hashes.at(head);
      const next = chain?.next ?? 0;
      const isCut = found === undefined && head >= next;
      if (isCut) this.findOnce("heads", "truncated", name, next, `a seal names entry ${head}`);
      if (found !== undefined && found !== hash) this.findOther(name, head);
    }
    if (this.completes.length === 2 && !this.tree.isBroken) this.findDangling(this.completes[0]);
    this.compareNotes(this.chains.get(GOVERNANCE));
  }

  findDangling({ seq: seal, chains }) {
    for (const [name, places] of this.named) {
      const isBefore = ([chain, seq]) => (chain === GOVERNANCE ? seq < seal : seq <= (own(chains, chain)?.[0] ?? -1));
      const place = [...places].find(isBefore);
      if (place) this.find("dangling reference", ...place, `the ${name} has no leaf`);
    }
  }

  compareNotes(chain) {
    const find = (kind, seq, detail) => this.findOnce("notes", kind, GOVERNANCE, seq, detail);
    const mine = this.notes.filter((note) => note.origin === `suture/${this.tenant}`);
    if (this.notes.length && !mine.length) find("foreign", this.notes[0].seq, "the tree heads are of another tenant");
    const [next, roots, heads] = [chain?.next ?? 0, new Map(), new Map()];
    for (const note of mine) {
      const { seq, size } = note;
      const keys = chain?.keysAt(seq) ?? [];
      if (keys.length && !keys.some((key) => isNoteSigned(note, key))) {
        find("key", seq, "another key signed the tree head");
        continue;
      }
      if (!roots.has(size)) roots.set(size, note.root);
      if (!heads.has(seq)) heads.set(seq, note.head);
      const isOther = roots.get(size) !== note.root || heads.get(seq) !== note.head;
      if (isOther) find("split view", seq, "two tree heads contradict each other");
      if ((chain?.hashes.at(seq) ?? note.head) !== note.head) find("split view", seq, "it names another entry");
      if (seq >= next) find("older than the tree head", next, `the tree head names entry ${seq}`);
      const root = this.tree.roots.get(size);
      if ((root ?? note.root) !== note.root) find("split view", seq, "the leaves do not give its root");
      if (root === undefined && !this.tree.isBroken && seq < next) find("truncated", seq, `it has ${size} leaves`);
    }
  }
}

/** `promised` has the places of receipts, and gets the positions of their leaves. */
async function verifyExport(path, notes, sizes, promised) {
  let verifier;
  let inLeaves = false;
  const take = (bytes, number) => {
    const line = parseLine(bytes);
    const kind = kindOf(line);
    must((kind === "header") === (number === 1), "the header must come first, and once");
    must(kind !== "entry" || !inLeaves, "an entry after a leaf");
    if (kind === "header") verifier = new Verifier(line.tenant, notes, sizes, promised);
    else verifier[kind](line);
    inLeaves ||= kind === "leaf";
  };
  await readLines(path, (bytes, number) => {
    try {
      take(bytes, number);
    } catch (error) {
      throw error instanceof Unreadable ? new Unreadable(`line ${number}: ${error.message}`) : error;
    }
  });
  verifier.finish();
  return verifier;
}

// ---- The command

/** What a file gives; says which file it is where it cannot be read. */
async function reading(path, read) {
  try {
    return await read(path);
  } catch (error) {
    if (error instanceof Unreadable || error.code) throw new Unreadable(`${path}: ${error.message}`);
    throw error;
  }
}

const textOf = (path) => new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(path));

/** The tree heads of an export that is whole, of every size that proofs name. */
function treeHeadsOf({ tenant, tree, count }) {
  return count ? [] : [...tree.roots].map(([size, root]) => ({ origin: `suture/${tenant}`, size, root }));
}

function tell({ findings, count, chains, tree, notes }, proofs, receipts, isJson) {
  if (isJson) return console.log(JSON.stringify({ finding_count: count, findings, proofs, receipts }));
  if (chains) console.log(`${chains.size} chains, ${tree.size} leaves: ${count ? `${count} findings` : "whole"}`);
  for (const { kind, chain, seq, detail } of findings) console.log(`  ${kind}: ${chain} at ${seq}: ${detail}`);
  if (chains && !notes.length) console.log("Without a trusted tree head, a cut end or a new history cannot be seen.");
  for (const { holds, detail } of proofs) console.log(`the proof ${holds ? "holds" : "does not hold"}: ${detail}`);
  for (const { holds, detail } of receipts) console.log(`the receipt is ${holds ? "" : "not "}kept: ${detail}`);
}

async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      "trusted-tree-head": { type: "string", multiple: true, default: [] },
      proof: { type: "string", multiple: true, default: [] },
      receipt: { type: "string", multiple: true, default: [] },
      json: { type: "boolean" },
    },
  });
  const [path, ...more] = positionals;
  must((path || values.proof.length) && !more.length, "anything: give one export, or a proof, or both");
  must(path || !values.receipt.length, "a receipt without an export");
  const notes = [];
  for (const file of values["trusted-tree-head"]) notes.push(...(await reading(file, () => parseNotes(textOf(file)))));
  const texts = [];
  for (const file of values.proof) texts.push(await reading(file, textOf));
  const receipts = [];
  for (const file of values.receipt) receipts.push(await reading(file, () => parseReceipt(textOf(file))));
  const promised = new Map(receipts.flatMap(({ rows }) => rows.map((row) => [placeOf(row.leaf_hash, row), null])));
  const sizes = texts.flatMap((text) => Object.values(parse(text) ?? {}).filter(isNumber));
  const verifier = path
    ? await reading(path, (file) => verifyExport(file, notes, sizes, promised))
    : { findings: [], count: 0 };
  const heads = [...notes, ...(path ? treeHeadsOf(verifier) : [])];
  const proofs = texts.map((text) => {
    try {
      return { holds: true, detail: checkProof(text, heads) };
    } catch (error) {
      if (error instanceof ProofFails) return { holds: false, detail: error.message };
      throw error;
    }
  });
  const kept = receipts.map((receipt) => {
    const why = whyNotKept(receipt, verifier);
    return { holds: !why, detail: why || `the ledger has all ${receipt.rows.length} rows of it` };
  });
  tell(verifier, proofs, kept, values.json);
  return verifier.count || [...proofs, ...kept].some(({ holds }) => !holds) ? 1 : 0;
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Unreadable ? `Cannot read ${error.message}` : error);
  process.exitCode = 2;
}
