// Reads a WARC file with warcio, webrecorder's own reader, and prints a line of JSON
// for every record: its head, and the length and SHA-256 of the block that was read.
//
//	node read.mjs NODE_MODULES FILE
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";

const [modules, file] = process.argv.slice(2);
const { WARCParser } = await import(`${modules}/warcio/dist/index.js`);
const parser = new WARCParser(createReadStream(file), { strictHeaders: true, parseHttp: false });
for await (const record of parser) {
  const hash = createHash("sha256");
  let length = 0;
  for await (const chunk of record) {
    hash.update(chunk);
    length += chunk.length;
  }
  console.log(JSON.stringify({
    version: record.warcHeaders.protocol,
    head: Object.fromEntries(record.warcHeaders.headers),
    offset: parser.offset, size: parser.recordLength,
    length, sha256: `sha256:${hash.digest("hex")}`,
  }));
}
