// Receipts, and whether a ledger keeps them (docs/ledger-format.md, "Receipts").

import {
  GOVERNANCE, hasNames, isHash, isId, isObject, isSignature, isSigned, isTs, must, parse, sha256,
} from "./ledger_format.mjs";

const RECEIPT = "at,id,public_key,rows,signature,tenant";
const ROW = "id,kind,leaf_hash";

/** What must be the same in a promised row and in a leaf. */
export const placeOf = (hash, { kind, id }) => `${hash} ${id} ${kind}`;

const isRow = (row) =>
  isObject(row) && hasNames(row, ROW) && typeof row.kind === "string" && isId(row.id) && isHash(row.leaf_hash);

/** The receipt in a text, alone or in an answer of the API. Throws Unreadable. */
export function parseReceipt(text) {
  const value = parse(text);
  const isAnswer = isObject(value) && Object.hasOwn(value, "receipt");
  const receipt = isAnswer ? value.receipt : value;
  must(isObject(receipt) && hasNames(receipt, RECEIPT), "not the fields of a receipt");
  const { tenant, id, at, rows, public_key, signature } = receipt;
  must(isId(tenant) && isId(id) && isTs(at), "tenant, id or at is none");
  must(isHash(public_key) && isSignature(signature), "public_key or signature is none");
  must(Array.isArray(rows) && rows.every(isRow), "its rows are not objects with kind, id and leaf_hash");
  return receipt;
}

/** Why a verified ledger does not keep the receipt; empty if it does. */
export function whyNotKept({ tenant, id, at, rows, public_key, signature }, ledger) {
  const digest = sha256(...rows.map(({ leaf_hash }) => Buffer.from(leaf_hash, "hex"))).toString("base64");
  const lines = ["suture-receipt/1", tenant, id, at, rows.length, digest];
  const text = Buffer.from(lines.map((line) => `${line}\n`).join(""));
  if (!rows.length) return "it promises nothing";
  if (!isSigned(text, Buffer.from(signature, "hex"), public_key)) return "its signature does not match";
  if (ledger.count) return "the ledger is not whole";
  if (ledger.tenant !== tenant) return `it is of the tenant ${tenant}`;
  if (!ledger.chains.get(GOVERNANCE).keys.some(([, key]) => key === public_key)) return "no key of the ledger signed it";
  const isSealed = (row) => (ledger.promised.get(placeOf(row.leaf_hash, row)) ?? Infinity) < ledger.tree.sealed;
  const missing = rows.find((row) => !isSealed(row));
  return missing ? `the ${missing.kind} ${missing.id} is not in the sealed ledger` : "";
}
