// See settle.go.

// look tells what kind of page it is. Without scripts, frames and refresh nothing
// can move.
const look = () => {
  const has = (selector) => !!Document.prototype.querySelector.call(document, selector);
  return {
    inert: !has('script,iframe,frame,object,embed,meta[http-equiv=refresh i]'),
    lazy: has('img[loading=lazy],iframe[loading=lazy],[data-src],[data-srcset],[data-lazy-src],[data-original],[data-bg],.lazy,.lazyload'),
    height: document.scrollingElement ? document.scrollingElement.scrollHeight : 0,
  };
};

// scrollThrough goes down to at most limit px, one viewport and two frames at a
// time, and back to the top.
const scrollThrough = async (limit) => {
  const frame = () => new Promise((next) => {
    const late = setTimeout(next, 100); // a page that draws nothing has no frames
    requestAnimationFrame(() => { clearTimeout(late); next(); });
  });
  const root = document.scrollingElement;
  if (!root) return 0;
  const step = Math.max(100, innerHeight);
  let y = step;
  for (; y < Math.min(limit, root.scrollHeight); y += step) {
    scrollTo({ left: 0, top: y, behavior: 'instant' });
    await frame();
    await frame();
  }
  scrollTo({ left: 0, top: 0, behavior: 'instant' });
  await frame();
  return y;
};

// countNodes counts a document's nodes, shadow roots and frames of the same
// origin included.
const countNodes = (root) => {
  let n = 1;
  const walk = document.createTreeWalker(root);
  for (let node = walk.currentNode; node; node = walk.nextNode()) {
    n++;
    if (node.shadowRoot) n += countNodes(node.shadowRoot);
    if (node.nodeName === 'IFRAME' || node.nodeName === 'FRAME') {
      const inner = node.contentDocument;
      if (inner) n += countNodes(inner);
    }
  }
  return n;
};
