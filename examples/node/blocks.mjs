// Blocks prints the blocks of an HTML file, and the blocks of an archived page that changed.
//
//   plat serve                                                # in a second terminal
//   node examples/node/blocks.mjs page.html https://example.com/ [SINCE]
//
// The URL is the one that the file came from: its style sheets and images are loaded from there. SINCE is a date, such
// as 2026-01-31; without it the last version is compared with the one before it. PLAT_SERVER and PLAT_TOKEN name the
// server and its token. It needs Node 18 or newer, and no packages.
import { readFile } from 'node:fs/promises';

const server = process.env.PLAT_SERVER ?? 'http://127.0.0.1:8632';

// ask requests a path of the interface and returns its JSON. An error has the detail of the problem document (RFC 9457).
async function ask(path, query = {}, init = {}) {
  const url = new URL('/api/v1' + path, server);
  for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, value);
  const headers = { ...init.headers };
  if (process.env.PLAT_TOKEN) headers.authorization = `Bearer ${process.env.PLAT_TOKEN}`;
  const answer = await fetch(url, { ...init, headers, signal: AbortSignal.timeout(90_000) });
  const body = await answer.json();
  if (!answer.ok) throw new Error(`${answer.status} ${body.title}: ${body.detail}`);
  return body;
}

// all yields the items of a list, page by page.
async function* all(path, query) {
  for (let page = await ask(path, query); ; page = await ask(page.next.replace('/api/v1', ''))) {
    yield* page.items;
    if (page.next === null) return;
  }
}

const [file, url, since] = process.argv.slice(2);
if (!url) {
  console.error('usage: node blocks.mjs FILE URL [SINCE]');
  process.exit(2);
}
try {
  const page = await ask('/segment', { base: url }, { method: 'POST', body: await readFile(file), headers: { 'content-type': 'text/html' } });
  for (const block of page.tree.filter((b) => b.leaf)) {
    const { x, y, w, h } = block.box;
    console.log(`${block.label}, ${block.topic} at ${x},${y} ${w}×${h}:\n${block.markdown}\n`);
  }
  if (since) {
    for await (const block of all('/blocks', { prefix: url, since, text: true })) {
      console.log(`new in version ${block.version}: ${block.label}, ${block.topic}`);
    }
  } else {
    const { old, new: now, changes } = await ask('/diff', { url });
    for (const change of changes.filter((c) => !c.by_itself)) {
      console.log(`${change.kind} from version ${old} to ${now}: ${change.label}, ${change.topic}`);
    }
  }
} catch (e) {
  console.error(`blocks: ${e.message}${e.cause ? `: ${e.cause.message}` : ''}`);
  process.exit(1);
}
