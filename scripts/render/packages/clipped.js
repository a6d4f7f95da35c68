// Returns the words of a page that no reader sees, though their text has a box: it lies outside the box of an
// element that clips and cannot be scrolled, or in a box of a pixel for screen readers.
(() => {
  const words = [];
  const clips = (v) => v === 'hidden' || v === 'clip';
  const scrolls = (v) => v === 'auto' || v === 'scroll';
  // seen reports whether a rectangle of the element's text is in sight, at least if boxes are scrolled.
  const seen = (e, { left, right, top, bottom }) => {
    let free = false; // from the boxes up to the next that is positioned
    for (let a = e; a; a = a.assignedSlot || a.parentElement || a.getRootNode().host) {
      const s = getComputedStyle(a), b = a.getBoundingClientRect();
      const [t, r, l, u] = /^rect\(([\d.]+)px, ([\d.]+)px, ([\d.]+)px, ([\d.]+)px\)$/.exec(s.clip)?.slice(1) ?? [0, 9, 9, 0];
      if (l - t < 2 || r - u < 2) return false;
      if (a === document.documentElement || a === document.body) continue;
      if (s.display === 'inline' || s.display === 'contents') continue;
      if (free && s.position === 'static' && s.transform === 'none') continue;
      if (clips(s.overflowX)) [left, right] = [Math.max(left, b.left), Math.min(right, b.right)];
      if (clips(s.overflowY)) [top, bottom] = [Math.max(top, b.top), Math.min(bottom, b.bottom)];
      if (scrolls(s.overflowX)) [left, right] = [b.left, b.right];
      if (scrolls(s.overflowY)) [top, bottom] = [b.top, b.bottom];
      if (right - left < 2 || bottom - top < 2) return false;
      if (s.position === 'fixed') break;
      free = s.position === 'absolute';
    }
    const [html, body] = [document.documentElement, document.body].map((a) => getComputedStyle(a));
    const fixed = (axis) => clips(html[axis]) || html[axis] === 'visible' && clips(body[axis]); // the window does not scroll
    if (fixed('overflowX') && (right < 2 || left > innerWidth - 2) || fixed('overflowY') && (bottom < 2 || top > innerHeight - 2)) return false;
    const root = document.scrollingElement; // what is left of the page or above it cannot be scrolled to
    return right + root.scrollLeft > 0 && bottom + root.scrollTop > 0;
  };
  const read = (root) => {
    const walk = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
    for (let n = walk.currentNode; n; n = walk.nextNode()) {
      if (n.shadowRoot) read(n.shadowRoot);
      if (n.nodeType !== 3 || !n.data.trim() || !n.parentElement) continue;
      let opacity = 1;
      for (let a = n.parentElement; a; a = a.assignedSlot || a.parentElement || a.getRootNode().host) opacity *= getComputedStyle(a).opacity;
      if (opacity < 0.02 || getComputedStyle(n.parentElement).visibility !== 'visible') continue; // the client counts none of these
      const range = document.createRange();
      for (const m of n.data.matchAll(/[\p{L}\p{Nd}]+/gu)) {
        range.setStart(n, m.index);
        range.setEnd(n, m.index + m[0].length);
        const boxes = [...range.getClientRects()].filter((r) => r.width > 0 && r.height > 0);
        if (boxes.length && !boxes.some((r) => seen(n.parentElement, r))) words.push(m[0]);
      }
    }
  };
  read(document);
  return words.join(' ');
})()
