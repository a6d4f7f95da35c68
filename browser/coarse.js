// See coarse.go. Members are read from prototypes, since named elements can shadow them.

// coarsen writes the smallest parts of a page as plain text, until it has no more than most
// nodes, and returns its previous number of nodes.
(most) => {
  const getter = (owner, name) => Function.prototype.call.bind(Object.getOwnPropertyDescriptor(owner.prototype, name).get);
  const method = (owner, name) => Function.prototype.call.bind(owner.prototype[name]);
  const walkerOf = method(Document, 'createTreeWalker');
  const replace = method(Element, 'replaceChildren');
  const remove = method(Node, 'removeChild');
  const parentOf = getter(Node, 'parentNode');
  const nextOf = getter(Node, 'nextSibling');
  const kindOf = getter(Node, 'nodeType');
  const textOf = getter(Node, 'textContent');
  const tagOf = getter(Element, 'localName');
  const spaceOf = getter(Element, 'namespaceURI');
  const shadowOf = getter(Element, 'shadowRoot');
  const shownOf = getter(HTMLElement, 'innerText');
  const documentOf = { iframe: getter(HTMLIFrameElement, 'contentDocument'), frame: getter(HTMLFrameElement, 'contentDocument') };
  const html = 'http://www.w3.org/1999/xhtml';
  const wordsOf = (e) => spaceOf(e) === html ? shownOf(e) : textOf(e);

  // The elements of all documents and shadow trees, in tree order: where each begins, counted in
  // nodes, the number of its nodes, including itself, and whether it may become text.
  const elements = [], begin = [], size = [], may = [];
  let total = 0;
  const roots = [document];
  for (let k = 0; k < roots.length; k++) {
    const open = []; // the elements around the current node, by index
    const close = () => {
      const i = open.pop();
      size[i] = total - begin[i];
      if (!may[i] && open.length > 0) may[open.at(-1)] = false;
    };
    const walk = walkerOf(document, roots[k]);
    for (let node = roots[k]; node; node = walk.nextNode()) {
      const parent = parentOf(node);
      while (open.length > 0 && elements[open.at(-1)] !== parent) close();
      if (kindOf(node) === 1) {
        open.push(elements.length);
        elements.push(node);
        begin.push(total);
        const tag = spaceOf(node) === html ? tagOf(node) : '';
        const inner = [shadowOf(node), documentOf[tag]?.(node)].filter(Boolean);
        roots.push(...inner);
        may.push(inner.length === 0 && tag !== 'head' && tag !== 'script' && tag !== 'style');
      }
      total++;
    }
    while (open.length > 0) close();
  }

  // parts calls f with the largest elements of at most limit nodes.
  const parts = (limit, f) => {
    for (let i = 0, end = 0; i < elements.length; i++) {
      if (begin[i] < end || !may[i] || size[i] > limit) continue;
      end = begin[i] + size[i];
      f(i);
    }
  };
  const saved = (limit) => {
    let n = 0;
    parts(limit, (i) => { n += Math.max(0, size[i] - 2); });
    return n;
  };
  // Rows of a table or items of a list are small; larger elements contain too many of them.
  const small = 64;
  let limit = 2;
  while (limit < small && total - saved(limit) > most) limit *= 2;
  // If that is not enough, neighbours are merged.
  const rest = total - saved(limit);
  const together = rest > most ? Math.ceil(4 * rest / most) : 1;

  const edits = []; // elements, their texts, and the nodes behind them to remove
  if (together === 1) {
    parts(limit, (i) => { if (size[i] > 2) edits.push([elements[i], wordsOf(elements[i]), []]); });
  } else {
    let first = null, texts, gone, last;
    const flush = () => {
      if (first && (gone.length > 0 || texts.length > 0)) edits.push([first, texts.join('\n'), gone]);
      first = null;
    };
    parts(limit, (i) => {
      const e = elements[i], text = wordsOf(e);
      // Only white space and comments may separate merged elements.
      const between = [];
      let node = first && nextOf(last);
      while (node && node !== e && (kindOf(node) === 8 || kindOf(node) === 3 && textOf(node).trim() === '')) {
        between.push(node);
        node = nextOf(node);
      }
      if (node !== e) {
        flush();
        first = e; texts = [text]; gone = [];
      } else {
        texts.push(text);
        for (const b of between) gone.push(b);
        gone.push(e);
      }
      last = e;
      // The text decides where a merged element ends, so that an insertion earlier changes little.
      let hash = 7;
      for (let k = 0; k < text.length && k < 64; k++) hash = (hash * 31 + text.charCodeAt(k)) >>> 0;
      if ((hash ^ hash >>> 15) % together === 0 || texts.length >= 4 * together) flush();
    });
    flush();
  }
  for (const [e, text, gone] of edits) {
    replace(e, text);
    for (const node of gone) remove(parentOf(node), node);
  }
  return total;
}
