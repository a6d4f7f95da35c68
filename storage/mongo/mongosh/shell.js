// What mongosh gives a script, as far as docs/mongo.md uses it: db, ISODate, print,
// cursors, and change streams, which end after the events that there are. The value of this
// file is a function that shows a script's result: the lines that it prints, or its value.
const [db, ISODate, print, __show] = (() => {
  const lines = [];
  // Integers of 64 bits are objects in mongosh: who adds two of them without
  // Number() puts their digits together.
  class Long {
    constructor(digits) { this.digits = digits; }
    toString() { return this.digits; }
    toJSON() { return Number(this.digits); }
  }
  // Extended JSON: relaxed to the server, canonical from it.
  const encode = (v) => {
    if (v instanceof Long) return {$numberLong: v.digits};
    if (v instanceof Date) return {$date: v.toISOString()};
    if (v instanceof RegExp) return {$regularExpression: {pattern: v.source, options: v.flags}};
    if (Array.isArray(v)) return v.map(encode);
    if (v === undefined) throw new Error("undefined has no place in a query");
    if (v === null || typeof v !== "object") return v;
    return Object.fromEntries(Object.entries(v).map(([k, x]) => [k, encode(x)]));
  };
  const decode = (v) => {
    if (Array.isArray(v)) return v.map(decode);
    if (v === null || typeof v !== "object") return v;
    if ("$date" in v) return new Date(Number(v.$date.$numberLong));
    if ("$numberInt" in v) return Number(v.$numberInt);
    if ("$numberDouble" in v) return Number(v.$numberDouble);
    if ("$numberLong" in v) return new Long(v.$numberLong);
    return Object.fromEntries(Object.entries(v).map(([k, x]) => [k, decode(x)]));
  };
  const call = (op) => decode(JSON.parse(__call(JSON.stringify(encode(op)))));

  class Cursor {
    constructor(op) { this.op = op; }
    sort(keys) { this.op.sort = keys; return this; }
    limit(n) { this.op.limit = n; return this; }
    toArray() { return call(this.op); }
    map(f) { return this.toArray().map(f); }
    forEach(f) { this.toArray().forEach(f); }
  }
  class Collection {
    constructor(name) { this.name = name; }
    find(filter = {}, projection = {}) { return new Cursor({op: "find", collection: this.name, filter, projection}); }
    findOne(filter = {}, projection = {}) { return this.find(filter, projection).limit(1).toArray()[0] ?? null; }
    watch(pipeline, {fullDocument}) {
      const events = call({op: "watch", collection: this.name, pipeline, lookup: fullDocument === "updateLookup"});
      return {isClosed: () => events.length === 0, tryNext: () => events.shift() ?? null};
    }
    aggregate(pipeline) { return new Cursor({op: "aggregate", collection: this.name, pipeline}); }
    countDocuments(filter = {}) { return call({op: "count", collection: this.name, filter})[0].n; }
    distinct(field, filter = {}) { return call({op: "distinct", collection: this.name, field, filter}).map((d) => d.value); }
  }
  return [
    new Proxy({}, {get: (_, name) => new Collection(name)}),
    (text) => {
      const d = new Date(text);
      if (isNaN(d)) throw new Error(`ISODate("${text}") is no date`);
      return d;
    },
    (...values) => { lines.push(values.join(" ")); },
    (v) => lines.length > 0 ? JSON.stringify(lines) : JSON.stringify(v instanceof Cursor ? v.toArray() : v) ?? "null",
  ];
})();
__show
