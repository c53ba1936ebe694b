// Inclusion and consistency proofs (docs/ledger-format.md; RFC 9162, section 2.1).

import { Unreadable, hasNames, isHash, isNumber, isObject, must, node, parse, sha256 } from "./ledger_format.mjs";

export class ProofFails extends Error {}

const INCLUSION = "id,kind,leaf_hash,path,position,root,row,size";
const CONSISTENCY = "new_root,new_size,old_root,old_size,path";
const NUMBERS = ["position", "size", "old_size", "new_size"];
const HASHES = ["leaf_hash", "root", "old_root", "new_root"];

const half = (value) => Math.floor(value / 2); // operators on bits have 32 of them
const hold = (isFine, message) => must(isFine, message, ProofFails);

/** What the proof in this text proves, in words. Throws Unreadable and ProofFails. */
export function checkProof(text, heads) {
  const proof = parse(text);
  must(isObject(proof) && (hasNames(proof, INCLUSION) || hasNames(proof, CONSISTENCY)), "not a proof");
  for (const [name, value] of Object.entries(proof)) {
    if (NUMBERS.includes(name)) must(isNumber(value), `${name} is no number`);
    else if (HASHES.includes(name)) must(isHash(value), `${name} is no hash`);
    else if (name === "path") must(Array.isArray(value) && value.every(isHash), "path is no list of hashes");
    else must(typeof value === "string" || (name === "row" && value === null), `${name} is no text`);
  }
  const path = proof.path.map((hash) => Buffer.from(hash, "hex"));
  return "leaf_hash" in proof ? checkInclusion({ ...proof, path }, heads) : checkConsistency({ ...proof, path }, heads);
}

/** The tree head of this size and root: what the proof says of the root proves nothing. */
function trusted(heads, size, root) {
  const known = heads.filter((head) => head.size === size);
  hold(known.length, `no tree head has ${size} leaves`);
  const found = known.find((head) => head.root === root);
  hold(found, `the tree head of ${size} leaves has another root`);
  return found;
}

function checkInclusion({ kind, id, position, row, leaf_hash, size, root, path }, heads) {
  trusted(row === null ? heads : ofTheRow(row, leaf_hash, kind, id, heads), size, root);
  hold(position < size, "there is no such position");
  let [fn, sn, r] = [position, size - 1, Buffer.from(leaf_hash, "hex")];
  for (const p of path) {
    hold(sn > 0, "the path is too long");
    if (fn % 2 === 1 || fn === sn) {
      r = node(p, r);
      while (fn % 2 === 0 && fn > 0) [fn, sn] = [half(fn), half(sn)];
    } else {
      r = node(r, p);
    }
    [fn, sn] = [half(fn), half(sn)];
  }
  hold(sn === 0 && r.toString("hex") === root, "the path does not lead to the root");
  const what = row === null ? "a leaf hash whose row is gone" : `the ${kind} ${id}`;
  return `${what} is leaf ${position} of the ${size} in the tree head`;
}

/** The tree heads of the tenant that the row names. */
function ofTheRow(row, leafHash, kind, id, heads) {
  hold(sha256(Buffer.of(0), row).toString("hex") === leafHash, "the row does not give the leaf hash");
  const columns = parse(row, ProofFails);
  hold(Array.isArray(columns) && typeof columns[0] === "string", "the row does not begin with a kind");
  hold(columns[0].split("/")[0] === kind && columns[2] === id, `the row is the ${columns[0]} ${columns[2]}`);
  return heads.filter((head) => head.origin === `suture/${columns[1]}`);
}

function checkConsistency({ old_size, new_size, old_root, new_root, path }, heads) {
  const { origin } = trusted(heads, old_size, old_root);
  const newer = heads.filter((head) => head.size === new_size && head.origin === origin);
  hold(!newer.length || newer.some((head) => head.root === new_root), "the newer tree head has another root");
  hold(begins(old_size, new_size, old_root, new_root, path), "the newer tree does not begin with the older one");
  const claim = newer.length ? "" : "; the newer root is what the server says";
  return `the tree of ${new_size} leaves begins with the ${old_size} of the tree head${claim}`;
}

function begins(old, size, oldRoot, newRoot, path) {
  if (old > size) return false;
  if (old === size) return !path.length && oldRoot === newRoot;
  if (old === 0) return !path.length && oldRoot === sha256("").toString("hex");
  if (!path.length) return false;
  let [fn, sn] = [old - 1, size - 1];
  while (fn % 2 === 1) [fn, sn] = [half(fn), half(sn)];
  // If the older tree is one full subtree, its root is the first hash.
  const [first, ...rest] = fn === 0 ? [Buffer.from(oldRoot, "hex"), ...path] : path;
  let [fr, sr] = [first, first];
  for (const c of rest) {
    if (sn === 0) return false;
    if (fn % 2 === 1 || fn === sn) {
      [fr, sr] = [node(c, fr), node(c, sr)];
      while (fn % 2 === 0 && fn > 0) [fn, sn] = [half(fn), half(sn)];
    } else {
      sr = node(sr, c);
    }
    [fn, sn] = [half(fn), half(sn)];
  }
  return sn === 0 && fr.toString("hex") === oldRoot && sr.toString("hex") === newRoot;
}
