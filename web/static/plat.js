// What pages can do beyond links and forms: the walk over blocks. Arrow keys go to
// the next and the previous block, Home and End to the first and the last; the
// block under the pointer or the focus is marked in the tree and told beside it.
'use strict';
for (const map of document.querySelectorAll('.map .overlay')) {
  const blocks = [...map.querySelectorAll('a[data-block]')];
  const card = document.getElementById('card');
  const entry = (block) => document.getElementById('b' + block.dataset.block);
  let shown;
  const show = (block) => {
    if (shown === block) return;
    for (const e of [shown, shown && entry(shown)]) e?.classList.remove('on');
    shown = block;
    block.classList.add('on');
    const item = entry(block);
    if (!item) return;
    item.classList.add('on');
    card.replaceChildren(...[...item.childNodes].filter((n) => n.nodeName !== 'UL' && !n.id).map((n) => n.cloneNode(true)));
  };
  map.addEventListener('pointerover', (e) => { const b = e.target.closest('a[data-block]'); if (b) show(b); });
  map.addEventListener('focusin', (e) => { const b = e.target.closest('a[data-block]'); if (b) show(b); });
  map.addEventListener('keydown', (e) => {
    const at = blocks.indexOf(document.activeElement);
    const to = { ArrowDown: at + 1, ArrowRight: at + 1, ArrowUp: at - 1, ArrowLeft: at - 1, Home: 0, End: blocks.length - 1 }[e.key];
    if (at >= 0 && blocks[to]) {
      blocks[to].focus();
      e.preventDefault();
    } else if (e.key === 'Enter' && at >= 0) {
      const link = entry(blocks[at])?.querySelector('a');
      if (link) { location.href = link.href; e.preventDefault(); }
    }
  });
}
