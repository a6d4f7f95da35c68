// Collects the texts of the document with its shadow roots, in reading order, and keeps in its
// isolated world a function for each that replaces it. A kind is a visible text (1), a hidden text
// (2), or a separate text (3): an attribute, a comment, the value of a field. The arguments are the
// closed shadow roots.
function (...closed) {
  const kinds = [], texts = [];
  const replace = globalThis.replaceText = [];
  const add = (kind, text, set) => {
    if (text) {
      kinds.push(kind);
      texts.push(text);
      replace.push(set);
    }
  };
  const loads = /^(src|srcdoc|srcset|href|data|poster)$/; // not visible, and would be loaded again
  const get = (owner, name, of) => Object.getOwnPropertyDescriptor(owner.prototype, name).get.call(of);
  const set = (owner, name, of, value) => Object.getOwnPropertyDescriptor(owner.prototype, name).set.call(of, value);
  const shown = (text) => {
    const parent = get(Node, 'parentNode', text), element = parent instanceof ShadowRoot ? parent.host : parent;
    return element instanceof Element && Element.prototype.checkVisibility.call(element, { visibilityProperty: true });
  };
  const closedOf = new Map(closed.map((root) => [get(ShadowRoot, 'host', root), root]));
  const walk = (root) => {
    const all = Document.prototype.createNodeIterator.call(document, root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT | NodeFilter.SHOW_COMMENT);
    for (let n; (n = all.nextNode());) {
      const node = n;
      if (node.nodeType !== Node.ELEMENT_NODE) {
        const kind = node.nodeType !== Node.TEXT_NODE || /^(SCRIPT|STYLE|NOSCRIPT|TITLE)$/.test(node.parentNode?.nodeName) ? 3 : shown(node) ? 1 : 2;
        add(kind, node.data, (text) => { node.data = text });
        continue;
      }
      for (const a of get(Element, 'attributes', node)) if (!loads.test(a.name)) add(3, a.value, (text) => { a.value = text });
      for (const field of [HTMLInputElement, HTMLTextAreaElement]) {
        if (node instanceof field && get(field, 'type', node) !== 'file') add(3, get(field, 'value', node), (text) => set(field, 'value', node, text));
      }
      const inside = get(Element, 'shadowRoot', node) ?? closedOf.get(node);
      if (inside) walk(inside);
    }
  };
  walk(document);
  return { kinds, texts };
}
