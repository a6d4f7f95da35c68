// See coarse.go.

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
