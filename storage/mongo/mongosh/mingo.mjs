// Runs a pipeline on documents with mingo, an aggregation engine, for the tests of docs/mongo.md:
// FerretDB lacks some stages. Documents are canonical Extended JSON, in both directions.
//
//	node mingo.mjs NODE_MODULES
//	stdin   {"collection": "versions", "pipeline": [{"$match": {}}], "documents": {"versions": [{"_id": "…"}]}}
//	stdout  [{"_id": "…"}]
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const require = createRequire(`${process.argv[2]}/`);
const { aggregate } = require("mingo");
const { evalExpr, Context } = require("mingo/core");

const decode = (v) => {
  if (Array.isArray(v)) return v.map(decode);
  if (v === null || typeof v !== "object") return v;
  if ("$date" in v) return new Date(typeof v.$date === "string" ? v.$date : Number(v.$date.$numberLong));
  for (const number of ["$numberInt", "$numberLong", "$numberDouble"]) if (number in v) return Number(v[number]);
  if ("$binary" in v) return Buffer.from(v.$binary.base64, "base64").toString("latin1"); // a character for each byte
  if ("$oid" in v) return v.$oid;
  return Object.fromEntries(Object.entries(v).map(([k, x]) => [k, decode(x)]));
};
const encode = (v) => {
  if (v instanceof Date) return { $date: { $numberLong: String(v.getTime()) } };
  if (Array.isArray(v)) return v.map(encode);
  if (typeof v === "number") return Number.isInteger(v) ? { $numberLong: String(v) } : { $numberDouble: String(v) };
  if (v === null || typeof v !== "object") return v;
  return Object.fromEntries(Object.entries(v).map(([k, x]) => [k, encode(x)]));
};

// mingo knows no binaries, nor the one operator on them that the document uses.
const $binarySize = (document, expression, options) => {
  const value = evalExpr(document, expression, options);
  return value == null ? null : value.length;
};
const { collection, pipeline, documents } = JSON.parse(readFileSync(0, "utf8"));
const all = decode(documents);
const result = aggregate(all[collection], decode(pipeline), {
  context: Context.init({ expression: { $binarySize } }),
  collectionResolver: (name) => all[name],
});
console.log(JSON.stringify(encode(result)));
